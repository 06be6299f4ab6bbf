// Names for assistive technology that the widgets do not give: a result is read as its name and price, not as
// "Thumbnail 3 of 24". Runs once when the page is loaded.
() => {
  const name = () => {
    document.querySelectorAll("#gallery .thumbnail-item img[alt]").forEach((image) => {
      const button = image.closest("button");
      if (button.getAttribute("aria-label") !== image.alt) button.setAttribute("aria-label", image.alt);
    });
    document.querySelectorAll("#chat .message button:not([aria-label]):has(img)").forEach((button) => {
      button.setAttribute("aria-label", button.querySelector("img").alt || "A picture of this message");
    });
    document.querySelectorAll("#chat [data-testid][aria-label]:not([role]), #chat .examples[role=list]").forEach((part) => {
      part.setAttribute("role", "group");
    });
    const words = document.querySelector("#box textarea");
    if (words && !words.hasAttribute("aria-label")) words.setAttribute("aria-label", "Your message");
  };
  new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
  name();
}
