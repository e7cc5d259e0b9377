import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { findNegative, matchTrigger, countInTitle, readAbilityTexts, readQuery } from '../lookup/scorer.ts'
import type { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import type { Findings } from './findings.ts'

export interface TriggerCase {
  readonly input: string
  readonly should_trigger: boolean
  readonly kind?: 'positive' | 'negative' | 'paraphrase' | undefined
}

const TRIGGER_TESTS_FILE = 'tests/trigger-tests.json'
const MIN_CASES_PER_KIND = 3
const MAX_CASES = 500

/** Accepts a list of cases, or inputs grouped by kind. Returns undefined for anything else. */
function parseTriggerCases(text: string): TriggerCase[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const list = isRecord(value) ? (value['cases'] ?? value['tests']) : value
  if (Array.isArray(list)) return list.slice(0, MAX_CASES).flatMap(parseCase)
  if (!isRecord(value)) return undefined
  return (['positive', 'negative', 'paraphrase'] as const).flatMap((kind) => {
    const inputs: unknown = (value as Record<string, unknown>)[kind]
    if (!Array.isArray(inputs)) return []
    return inputs
      .slice(0, MAX_CASES)
      .filter((input): input is string => typeof input === 'string')
      .map((input) => ({ input, should_trigger: kind !== 'negative', kind }))
  })
}

function parseCase(value: unknown): TriggerCase[] {
  if (!isRecord(value) || typeof value['input'] !== 'string') return []
  const { input, should_trigger, kind } = value
  if (typeof should_trigger !== 'boolean') return []
  const known = kind === 'positive' || kind === 'negative' || kind === 'paraphrase' ? kind : undefined
  return [{ input: input.slice(0, 240), should_trigger, kind: known }]
}

export function lintTriggerCases(
  text: string | undefined,
  frontmatter: PortableFrontmatter | undefined,
  findings: Findings,
): void {
  const cases = text === undefined ? undefined : parseTriggerCases(text)
  if (cases === undefined) {
    findings.add('TRIGGER_TESTS_MISSING')
    return
  }
  const kinds = cases.map(({ kind, should_trigger }) => kind ?? (should_trigger ? 'positive' : 'negative'))
  const missing = (['positive', 'negative', 'paraphrase'] as const).filter(
    (kind) => kinds.filter((one) => one === kind).length < MIN_CASES_PER_KIND,
  )
  if (missing.length > 0) {
    findings.add('TRIGGER_TESTS_INSUFFICIENT', {
      path: TRIGGER_TESTS_FILE,
      note: missing.join(', '),
    })
  }
  if (frontmatter === undefined) return
  for (const { input, should_trigger, kind } of cases) {
    // Paraphrases are left to the reviewer.
    if (kind === 'paraphrase' || isMatch(frontmatter, input) === should_trigger) continue
    findings.add('TRIGGER_TESTS_FAILING', { path: TRIGGER_TESTS_FILE, note: input })
  }
}

/** Matches as the lookup does, including negative triggers. */
function isMatch({ title, triggers, negative_triggers }: PortableFrontmatter, input: string): boolean {
  const query = readQuery(input)
  const readable = readAbilityTexts({
    title,
    trigger_phrases: triggers,
    negative_triggers,
    project_scopes: [],
    install_lane: 'experimental_private',
    checkpoint_health: 'no_data',
    usable_now: true,
  })
  if (findNegative(query, readable) >= 0) return false
  return matchTrigger(query, readable) !== undefined || countInTitle(query, readable) >= 2
}
