import { findCheckable } from '../../screen/checkable.ts'
import { type Hierarchy, type UiNode, isTrue } from '../../screen/tree/hierarchy.ts'
import { countRows, matchTarget, resolveTarget } from '../../screen/matcher.ts'
import { isNear, measureChange, parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { validateText } from '../../screen/text-validators.ts'
import type { Expect } from './claims.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { FoundNode } from './screen-reading.ts'
import { readDisplayedLabel } from './step-evidence.ts'

export interface Observation {
  readonly holds: boolean
  /** The observed text or state. */
  readonly observed: string
  readonly found?: Pick<FoundNode, 'node' | 'fallback' | 'votes' | 'page_words'>
}

/** What the execution saw so far. */
type Seen = Pick<EngineExecution, 'language'> & { readonly earlier: readonly Hierarchy[] }

/**
 * Evaluates an expectation on one reading. A page of the same shape without a known text proves nothing, unless the app
 * speaks another language.
 */
function observe(hierarchy: Hierarchy, params: Expect, { language }: Pick<EngineExecution, 'language'>): Observation {
  const now = observeNode(hierarchy, params)
  if (now.found?.fallback === undefined || now.found.page_words !== 'foreign' || language === 'foreign') return now
  return { holds: !params.present, observed: 'missing' }
}

function observeNode(hierarchy: Hierarchy, params: Expect): Observation {
  const { matcher, container, strict, present } = params
  const resolution = resolveTarget(hierarchy, { matcher, container, strict })
  if (resolution.kind === 'missing') return { holds: !present, observed: 'missing' }
  if (resolution.kind === 'ambiguous') {
    return { holds: false, observed: `${resolution.candidate_count} alike` }
  }
  const rows = matcher.row === undefined || params.added === true ? 1 : countMatchedRows(hierarchy, params)
  if (rows > 1) return { holds: false, observed: `${rows} alike` }
  const { node, fallback, votes, page_words } = resolution
  const found = { node, fallback, votes, page_words }
  const label = readDisplayedLabel(resolution.node)
  if (!present) return { holds: false, observed: label === '' ? 'present' : label, found }
  const checks = runChecks(hierarchy, resolution.node, params)
  const failed = checks.filter(({ holds }) => !holds)
  const texts = (failed.length > 0 ? failed : checks).map(({ observed }) => observed)
  const observed = texts.length === 0 ? label || 'present' : [...new Set(texts)].join(', ')
  return { holds: failed.length === 0, observed, found }
}

/**
 * Evaluates a claim about the end of a workflow. If the app speaks another language, its words cannot be compared: then
 * what they stand for must be at its place, and have changed as the words did.
 */
export function observeClaim(hierarchy: Hierarchy, params: Expect, seen: Seen): Observation {
  const own = observeAddition(hierarchy, params, seen)
  const { otherLanguage, text, container: _container, added, changed, ...rest } = params
  if (otherLanguage === undefined || seen.language !== 'foreign' || seen.earlier.length === 0 || own.holds) return own
  const { matcher, change } = otherLanguage
  const asClaimed = { text, added, changed }
  const checks = change === undefined ? asClaimed : change === 'shown' ? {} : { [change]: true }
  return observeAddition(hierarchy, { ...rest, ...checks, matcher }, seen)
}

/**
 * Evaluates a claim about the end of a workflow that adds something: it holds only if there is more of it than on every
 * earlier screen. An entry of the same name that was there before is not the one that was added.
 */
function observeAddition(hierarchy: Hierarchy, params: Expect, seen: Seen): Observation {
  const { earlier } = seen
  const now = observeChange(hierarchy, params, seen)
  if (params.added !== true || !now.holds) return now
  const before = Math.max(0, ...earlier.map((screen) => countMatches(screen, params)))
  return before < countMatches(hierarchy, params) ? now : { ...now, holds: false, observed: THERE_BEFORE }
}

/** Evaluates a claim that a node shows something else than before, perhaps a number or time that moved by an amount. */
function observeChange(hierarchy: Hierarchy, params: Expect, { earlier, language }: Seen): Observation {
  const now = observe(hierarchy, params, { language })
  const { matcher, container, strict, changed, changedBy } = params
  if ((changed !== true && changedBy === undefined) || !now.holds || now.found === undefined) return now
  const old = earlier.toReversed().flatMap((screen) => {
    const resolution = resolveTarget(screen, { matcher, container, strict })
    return resolution.kind === 'found' ? [readDisplayedLabel(resolution.node)] : []
  })[0]
  const label = readDisplayedLabel(now.found.node)
  if (old === undefined || old.trim() === label.trim()) return { ...now, holds: false, observed: `still ${label}` }
  const moved = measureChange(old, label)
  const isExpected = changedBy === undefined || (moved !== undefined && isNear(moved, changedBy))
  return isExpected ? now : { ...now, holds: false, observed: `from ${old} to ${label}` }
}

const THERE_BEFORE = 'there before'

/** Two entries that fit say nothing about the one that was meant. */
function countMatchedRows(hierarchy: Hierarchy, { matcher, container }: Expect): number {
  const matches = matchTarget(hierarchy, { matcher, container })
  return matches.kind === 'found' ? countRows(matches.nodes) : 0
}

function countMatches(hierarchy: Hierarchy, { matcher, container }: Expect): number {
  const matches = matchTarget(hierarchy, { matcher, container })
  return matches.kind === 'found' ? matches.nodes.length : 0
}

interface Check {
  readonly holds: boolean
  readonly observed: string
}

function runChecks(hierarchy: Hierarchy, node: UiNode, params: Expect): Check[] {
  const { text, number, checked, selected, enabled } = params
  const label = readDisplayedLabel(node)
  const checks: Check[] = []
  if (text !== undefined) checks.push({ holds: matchesText(label, text), observed: label })
  if (number !== undefined) checks.push(checkNumber(label, number))
  if (checked !== undefined) {
    const control = findCheckable(hierarchy, node)
    const state = control.kind === 'found' ? isTrue(control.node, 'checked') : undefined
    checks.push({ holds: state === checked, observed: `checked: ${state ?? 'unknown'}` })
  }
  for (const [name, expected] of Object.entries({ selected, enabled })) {
    if (expected === undefined) continue
    const state = isTrue(node, name)
    checks.push({ holds: state === expected, observed: `${name}: ${state}` })
  }
  return checks
}

function matchesText(label: string, { equals, contains, matches }: NonNullable<Expect['text']>) {
  const text = label.trim()
  return (
    (equals === undefined || text === equals.trim()) &&
    (contains === undefined || text.toLowerCase().includes(contains.toLowerCase())) &&
    (matches === undefined || validateText(text, { validator: 'regex', validatorPattern: matches }).ok)
  )
}

function checkNumber(label: string, { equals, tolerance }: NonNullable<Expect['number']>): Check {
  const value = parseDisplayedNumber(label)
  return { holds: value !== undefined && isNear(value, equals, tolerance), observed: label }
}
