import type { Span } from './dates.ts'
import { type ScannedLabel, scanLabel } from './scanned-label.ts'
import { listShownSpans, SHOWN_AS, type ShownAs } from './shown-value.ts'
import { readValue } from './value.ts'

/** `text` is the part of the label that the input explains. All texts and literals joined are the normalized label. */
export type ExplainedPart =
  | { readonly literal: string }
  | { readonly input: string; readonly shown_as: ShownAs; readonly text: string }

export interface Explanation {
  readonly parts: readonly ExplainedPart[]
  /** The inputs that are shown, in the order of the label. */
  readonly inputs: readonly string[]
  /** The label without what inputs explain. */
  readonly rest: string
}

export interface ExplainedSpan extends Span {
  readonly input: string
  readonly shown_as: ShownAs
}

/**
 * Splits a label into what inputs explain and the rest. Longer places come first, then stronger kinds, then earlier
 * inputs; an input explains at most one place of each kind. Undefined if no input is shown.
 */
export function explainText(
  label: string,
  values: ReadonlyMap<string, string>,
  today?: string,
): Explanation | undefined {
  const scanned = scanLabel(label)
  return toExplanation(scanned, chooseSpans(scanned, listExplainedSpans(scanned, values, today), []))
}

/** All places that an input may explain. */
export function listExplainedSpans(
  label: ScannedLabel,
  values: ReadonlyMap<string, string>,
  today: string | undefined,
): ExplainedSpan[] {
  return [...values].flatMap(([input, value]) => {
    const wanted = readValue(value)
    return wanted === undefined ? [] : listShownSpans(label, wanted, today).map((span) => ({ ...span, input }))
  })
}

/** Adds to the chosen places those that overlap no other one. */
export function chooseSpans(
  label: ScannedLabel,
  candidates: readonly ExplainedSpan[],
  chosen: readonly ExplainedSpan[],
): ExplainedSpan[] {
  const taken = new Uint8Array(label.text.length)
  const used = new Set(chosen.map(({ input }) => input))
  for (const { start, end } of chosen) taken.fill(1, start, end)
  const kept = [...chosen]
  const kinds = new Set<string>()
  for (const span of candidates.toSorted(compareSpans)) {
    // Chosen ones are at least as long, except composed ones, which may lie inside.
    const isFree = taken[span.start] === 0 && taken[span.end - 1] === 0 && !hasInside(chosen, span)
    const kind = `${span.shown_as} ${span.input}`
    if (!isFree || used.has(span.input) || kinds.has(kind)) continue
    kinds.add(kind)
    taken.fill(1, span.start, span.end)
    kept.push(span)
  }
  return kept.toSorted((a, b) => a.start - b.start)
}

/**
 * `also` names inputs that have no place of their own: a half of the day shown as 19:05. `places` are whole places of
 * several inputs; what stands between those inputs is no rest.
 */
export function toExplanation(
  { text }: ScannedLabel,
  spans: readonly ExplainedSpan[],
  { also, places }: { readonly also: readonly string[]; readonly places: readonly Span[] } = { also: [], places: [] },
): Explanation | undefined {
  if (spans.length === 0) return undefined
  const parts: ExplainedPart[] = []
  const rest: string[] = []
  const addLiteral = (start: number, end: number) => {
    if (start === end) return
    parts.push({ literal: text.slice(start, end) })
    if (!places.some((place) => place.start <= start && end <= place.end)) rest.push(text.slice(start, end).trim())
  }
  let from = 0
  for (const { start, end, input, shown_as } of spans) {
    addLiteral(from, start)
    parts.push({ input, shown_as, text: text.slice(start, end) })
    from = end
  }
  addLiteral(from, text.length)
  const inputs = [...new Set([...spans.map(({ input }) => input), ...also])]
  return { parts, inputs, rest: rest.filter((literal) => literal !== '').join(' ') }
}

function compareSpans(a: ExplainedSpan, b: ExplainedSpan): number {
  const longer = b.end - b.start - (a.end - a.start)
  return longer || SHOWN_AS.indexOf(a.shown_as) - SHOWN_AS.indexOf(b.shown_as) || a.start - b.start
}

function hasInside(chosen: readonly ExplainedSpan[], { start, end }: Span): boolean {
  return chosen.some((one) => one.start < end && one.end > start)
}
