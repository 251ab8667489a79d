import { button, element, round } from './elements';
import { Model } from './server';

const SHOWN = 3; // models
const LONGEST = 160; // characters of what a model writes

/** The models that the learner made last, and a button that shows all of them. */
export function gallerySection(models: Model[], openAll: () => void): HTMLElement {
  const section = element('section', 'nw-gallery');
  const heading = element('h2', '', 'Your gallery');
  heading.id = 'nw-gallery-heading';
  section.setAttribute('aria-labelledby', heading.id);
  const list = element('ul', 'nw-models');
  for (const model of models.slice(0, SHOWN)) {
    list.append(row(model));
  }
  const label = models.length === 1 ? 'Show it as a table' : `Show all ${models.length} side by side`;
  section.append(heading, list, button(label, 'gallery', openAll));
  return section;
}

function row(model: Model): HTMLElement {
  const item = element('li', '');
  const facts = [model.text, model.kept.slice(0, 10)];
  if (typeof model.bits_above_floor === 'number') {
    facts.push(`${round(model.bits_above_floor)} bits above the floor`);
  } else if (typeof model.bits_per_byte === 'number') {
    facts.push(`${round(model.bits_per_byte)} bits per byte`);
  }
  item.append(element('strong', 'nw-code', model.name), element('div', 'nw-facts', facts.filter(Boolean).join(' · ')));
  const [prompt, more] = Object.entries(model.continuations)[0] ?? ['', ''];
  const written = `${more}`.length > LONGEST ? `${more}`.slice(0, LONGEST) + '…' : `${more}`;
  if (prompt || written) {
    const quote = element('blockquote', '');
    quote.append(element('strong', '', prompt), ` ${written}`);
    item.append(quote);
  }
  return item;
}
