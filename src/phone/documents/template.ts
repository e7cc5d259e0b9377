import { evaluate, formatValue, type Scope, type StateValue } from './evaluation.ts'
import { parseExpression, type Expression } from './expression.ts'

/** Text with `{expressions}`, or `@key` for a string of the current locale. */
export interface Template {
  readonly parts: readonly (string | Expression)[]
  readonly key?: string
}

/** A JSON value whose strings are templates. */
export type ValueTemplate =
  | null
  | boolean
  | number
  | Template
  | readonly ValueTemplate[]
  | { readonly fields: Readonly<Record<string, ValueTemplate>> }

export function parseTemplate(text: string): Template {
  if (text.startsWith('@') && !text.startsWith('@@')) return { parts: [], key: text.slice(1) }
  const parts: (string | Expression)[] = []
  let plain = ''
  let rest = text.startsWith('@@') ? text.slice(1) : text
  while (rest !== '') {
    const doubled = rest.startsWith('{{') || rest.startsWith('}}')
    if (rest[0] === '{' && !doubled) {
      const end = findClosingBrace(rest)
      if (plain !== '') parts.push(plain)
      plain = ''
      parts.push(parseExpression(rest.slice(1, end)))
      rest = rest.slice(end + 1)
    } else {
      plain += rest[0] ?? ''
      rest = rest.slice(doubled ? 2 : 1)
    }
  }
  if (plain !== '') parts.push(plain)
  return { parts }
}

export function renderTemplate(template: Template | undefined, scope: Scope): string {
  if (template === undefined) return ''
  if (template.key !== undefined) return scope.translate(template.key)
  return template.parts.map((part) => (typeof part === 'string' ? part : formatValue(evaluate(part, scope)))).join('')
}

/** Evaluates a template. A string that is a single expression keeps the type of its result. */
export function fillValue(template: ValueTemplate, scope: Scope): StateValue {
  if (template === null || typeof template !== 'object') return template
  if (Array.isArray(template)) return template.map((entry: ValueTemplate) => fillValue(entry, scope))
  if ('fields' in template) {
    return Object.fromEntries(Object.entries(template.fields).map(([key, entry]) => [key, fillValue(entry, scope)]))
  }
  if (!('parts' in template)) return null
  const [only] = template.parts
  if (template.parts.length !== 1 || only === undefined || typeof only === 'string') {
    return renderTemplate(template, scope)
  }
  return cloneState(evaluate(only, scope))
}

/** Copies a state value, so that two state paths never share an object. */
export function cloneState(value: unknown): StateValue {
  // The result of an expression is always a StateValue or undefined.
  return value === undefined ? null : (structuredClone(value) as StateValue)
}

function findClosingBrace(text: string): number {
  let quoted = false
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "'" && text[at - 1] !== '\\') quoted = !quoted
    else if (text[at] === '}' && !quoted) return at
  }
  throw new Error(`"{" without "}" in "${text}"; close the expression or write "{{"`)
}
