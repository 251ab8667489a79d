import { button, element, round } from './elements';
import { Model } from './server';

const SHOWN = 3; // models, each with its first continuation
const LONGEST = 400; // characters of a continuation

/** The models that the learner made last; or all of them, with all that they write. */
export function gallerySection(models: Model[], all: boolean, toggle: () => void): HTMLElement {
  const section = element('section', 'nw-gallery');
  const heading = element('h2', '', 'Your gallery');
  heading.id = 'nw-gallery-heading';
  section.setAttribute('aria-labelledby', heading.id);
  const list = element('ul', 'nw-models');
  for (const model of all ? models : models.slice(0, SHOWN)) {
    list.append(row(model, all ? Infinity : 1));
  }
  const show = button(all ? 'Show less' : `Show all that your models write (${models.length})`, 'gallery', toggle);
  show.setAttribute('aria-expanded', String(all));
  section.append(heading, list, show);
  return section;
}

function row(model: Model, most: number): HTMLElement {
  const item = element('li', '');
  const facts = [model.text, model.kept.slice(0, 10)];
  if (typeof model.bits_above_floor === 'number') {
    facts.push(`${round(model.bits_above_floor)} bits above the floor`);
  } else if (typeof model.bits_per_byte === 'number') {
    facts.push(`${round(model.bits_per_byte)} bits per byte`);
  }
  item.append(element('strong', 'nw-code', model.name), element('div', 'nw-facts', facts.filter(Boolean).join(' · ')));
  for (const [prompt, more] of Object.entries(model.continuations).slice(0, most)) {
    const written = String(more);
    const quote = element('blockquote', '');
    quote.append(element('strong', '', prompt), ` ${written.slice(0, LONGEST)}${written.length > LONGEST ? '…' : ''}`);
    item.append(quote);
  }
  return item;
}
