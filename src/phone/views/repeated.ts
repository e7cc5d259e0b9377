import { evaluate, formatValue, isTrue, toList } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { buildScope, type AppContext } from '../model/scope.ts'

/** How the entries of a list are chosen and ordered. */
export interface Selection {
  readonly items: Expression
  readonly where?: Expression | undefined
  readonly sort_by?: Expression | undefined
}

/** An entry of a list, with the context in which its template is evaluated. */
export interface Entry {
  readonly key: string
  readonly context: AppContext
}

const bindItem = (context: AppContext, item: unknown, index: number): AppContext => ({
  ...context,
  names: { ...context.names, item, index },
})

/** Lists the entries that are displayed, in their order. */
export function listEntries(selection: Selection, context: AppContext): Entry[] {
  const { items, where } = selection
  const chosen = toList(evaluate(items, buildScope(context))).filter(
    (item, index) => where === undefined || isTrue(evaluate(where, buildScope(bindItem(context, item, index)))),
  )
  return sortItems(selection, chosen, context).map((item, index) => ({
    key: toItemKey(item, index),
    context: bindItem(context, item, index),
  }))
}

function sortItems({ sort_by: rule }: Selection, items: readonly unknown[], context: AppContext): readonly unknown[] {
  if (rule === undefined) return items
  const keyed = items.map((item, index) => ({
    item,
    by: evaluate(rule, buildScope(bindItem(context, item, index))),
  }))
  const order = (left: unknown, right: unknown): number =>
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : formatValue(left).localeCompare(formatValue(right), 'en')
  return keyed.toSorted((left, right) => order(left.by, right.by)).map((entry) => entry.item)
}

function toItemKey(item: unknown, index: number): string {
  const id: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? `#${id}` : String(index)
}

/** Entries with a common section, and the context of its header. */
export interface Section {
  readonly key: string
  readonly context: AppContext
  readonly entries: readonly Entry[]
}

/** Groups entries by section. Sections are in the order of their first entries. */
export function groupEntries(entries: readonly Entry[], rule: Expression): Section[] {
  const sections = new Map<string, Omit<Section, 'entries'> & { readonly entries: Entry[] }>()
  for (const entry of entries) {
    const section = evaluate(rule, buildScope(entry.context))
    const key = formatValue(section)
    const context = { ...entry.context, names: { ...entry.context.names, section } }
    const known = sections.get(key) ?? { key, context, entries: new Array<Entry>() }
    sections.set(key, known)
    known.entries.push({ key: entry.key, context })
  }
  return [...sections.values()]
}
