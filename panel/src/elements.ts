/** An element with its class and text. */
export function element(tag: string, kind: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (kind) {
    made.className = kind;
  }
  made.textContent = text;
  return made;
}

/** A button; `key` names it, so that it keeps the focus when the panel is drawn anew. */
export function button(
  text: string,
  key: string,
  press: () => void,
  { disabled = false, kind = 'nw-button', label = '' } = {}
): HTMLButtonElement {
  const made = element('button', kind, text) as HTMLButtonElement;
  made.type = 'button';
  made.setAttribute('data-key', key);
  if (label) {
    made.setAttribute('aria-label', label);
  }
  if (disabled) {
    made.setAttribute('aria-disabled', 'true'); // `disabled` would take the focus away
  } else {
    made.addEventListener('click', press);
  }
  return made;
}

/** 2, 2.5, 0.33. */
export function round(points: number): string {
  return String(Math.round(points * 100) / 100);
}
