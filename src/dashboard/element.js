/**
 * Creates an element. Values are set as properties, so no text is ever parsed as markup. Names that begin with `on` are
 * event listeners; names with a dash are attributes.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value))
    } else if (name.includes('-') || name === 'role') element.setAttribute(name, /** @type {string} */ (value))
    else Reflect.set(element, name, value)
  }
  element.append(...removeAbsent(children))
  return element
}

/**
 * @param {Element} parent
 * @param {...(Node | string | undefined | false)} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...removeAbsent(children))
}

/**
 * A small label with a state. The text carries the meaning; the colour only supports it.
 *
 * @param {string} text
 * @param {'good' | 'bad' | 'busy' | 'plain'} [tone]
 */
export function badge(text, tone = 'plain') {
  return make('span', { className: `badge ${tone}` }, text)
}

/** @param {readonly (Node | string | undefined | false)[]} children */
function removeAbsent(children) {
  return children.filter((child) => child !== undefined && child !== false)
}
