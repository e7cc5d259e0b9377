/**
 * Makes an element. Properties are set as such, so nothing is ever parsed as markup; what begins with `on` listens,
 * and names with a dash are attributes.
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
    } else if (name.includes('-') || name === 'role')
      element.setAttribute(name, /** @type {string} */ (value))
    else Reflect.set(element, name, value)
  }
  element.append(...present(children))
  return element
}

/**
 * @param {Element} parent
 * @param {...(Node | string | undefined | false)} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children))
}

/**
 * A small label with a state in it. The word tells; the colour only helps.
 *
 * @param {string} word
 * @param {'good' | 'bad' | 'busy' | 'plain'} [tone]
 */
export function badge(word, tone = 'plain') {
  return make('span', { className: `badge ${tone}` }, word)
}

/** @param {readonly (Node | string | undefined | false)[]} children */
function present(children) {
  return children.filter((child) => child !== undefined && child !== false)
}
