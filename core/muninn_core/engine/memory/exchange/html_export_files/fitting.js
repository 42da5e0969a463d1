// Texts that fit into a drawing, for the page of `muninn open` and for the page of an export.

const FONT = '12px system-ui, sans-serif'; // of drawings, as in the style sheet

/** A text, or what `cut` leaves of it with the most characters that fit into a width. */
export function fitting(text, width, cut) {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = FONT;
  const fits = (shown) => pen.measureText(shown).width <= width;
  if (fits(text)) return text;
  let most = Math.min(text.length, Math.floor(width / 2));
  while (most && !fits(cut(most))) most -= 1;
  return cut(most);
}
