"""How the page looks where gradio asks for it: colours and fonts. The rest is in assets/app.css."""

from __future__ import annotations

import gradio as gr


def theme() -> gr.themes.Base:
    """Linen, ink and plum; only fonts that every system has."""
    plum = gr.themes.Color(
        "#fbf4f8", "#f5e6ef", "#e9cbdc", "#d6a3c0", "#bd749d", "#9c4c7b", "#7d3561", "#652a4e", "#4e2140", "#3a1930",
        "#270f20",
    )  # fmt: skip
    return gr.themes.Base(
        primary_hue=plum, neutral_hue="stone", radius_size="lg", spacing_size="md",
        font=["system-ui", "Segoe UI", "Roboto", "sans-serif"], font_mono=["ui-monospace", "monospace"],
    ).set(
        body_background_fill="#f7f4ef", body_background_fill_dark="#171415",
        block_background_fill="#ffffff", block_background_fill_dark="#221e20",
        block_border_width="0px", block_shadow="none",
        button_primary_background_fill="*primary_600", button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_500", button_primary_background_fill_hover_dark="*primary_600",
        button_primary_text_color="#ffffff", button_primary_text_color_dark="#ffffff",
        button_secondary_background_fill="#ffffff", button_secondary_background_fill_dark="#2e282b",
        button_secondary_border_color="#d9d2c8", button_secondary_border_color_dark="#4a4146",
        button_border_width="1px", button_transform_hover="none", input_background_fill="#ffffff",
        input_background_fill_dark="#2a2427", input_border_width="1px", input_border_color="#d9d2c8",
        input_border_color_dark="#4a4146", input_placeholder_color="#6f6862", input_placeholder_color_dark="#a89f99",
    )  # fmt: skip
