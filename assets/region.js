// Choosing a part of a photo: drag over it, or focus the frame and use the arrow keys. `element`, `props` and `watch`
// come from the widget. The value holds the photo (path, url) and the box: left, top, right, bottom as shares of it.
let box = [0.15, 0.1, 0.85, 0.9];
let start = null;
const clamp = (value) => Math.min(1, Math.max(0, value));
const paint = () => {
  const part = element.querySelector(".part");
  if (!part) return;
  [part.style.left, part.style.top] = [`${box[0] * 100}%`, `${box[1] * 100}%`];
  [part.style.width, part.style.height] = [`${(box[2] - box[0]) * 100}%`, `${(box[3] - box[1]) * 100}%`];
};
const place = (event) => {
  const frame = element.querySelector(".frame").getBoundingClientRect();
  return [clamp((event.clientX - frame.left) / frame.width), clamp((event.clientY - frame.top) / frame.height)];
};
const keep = () => {
  props.value = { ...props.value, box: [...box] };
  requestAnimationFrame(paint);
};
element.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".frame")) return;
  event.preventDefault();
  start = place(event);
});
window.addEventListener("pointermove", (event) => {
  if (!start) return;
  const end = place(event);
  box = [0, 1].map((i) => Math.min(start[i], end[i])).concat([0, 1].map((i) => Math.max(start[i], end[i])));
  paint();
});
window.addEventListener("pointerup", () => {
  if (!start) return;
  start = null;
  if (box[2] - box[0] < 0.03 || box[3] - box[1] < 0.03) box = [0.15, 0.1, 0.85, 0.9]; // a click, not a drag
  keep();
});
element.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step || !event.target.closest(".part")) return;
  event.preventDefault();
  for (const side of event.shiftKey ? [2, 3] : [0, 1, 2, 3]) box[side] = clamp(box[side] + 0.03 * step[side % 2]);
  if (box[2] - box[0] < 0.05) box[event.shiftKey ? 2 : 0] = clamp(box[event.shiftKey ? 0 : 2] + (event.shiftKey ? 0.05 : -0.05));
  if (box[3] - box[1] < 0.05) box[event.shiftKey ? 3 : 1] = clamp(box[event.shiftKey ? 1 : 3] + (event.shiftKey ? 0.05 : -0.05));
  keep();
  requestAnimationFrame(() => element.querySelector(".part")?.focus());
});
watch("value", () => {
  if (!props.value?.box) box = [0.15, 0.1, 0.85, 0.9];
  requestAnimationFrame(paint);
});
paint();
