"""The shop's page in the browser: widgets, events, endpoints. With app.py the only place that imports gradio."""
