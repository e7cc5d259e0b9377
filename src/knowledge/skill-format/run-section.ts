import type { AbilityKind } from '@apprentice/contracts/abilities/ability.ts'
import { escapeMarkdown, formatCodeSpan } from '../markdown/escape.ts'
import { findBodyOffset } from '../markdown/document.ts'
import { chooseExample, collectExampleInputs, type InputFacts } from './input-examples.ts'

/** What an agent must know to run an ability. */
export interface RunFacts {
  readonly ability_id: string
  readonly kind: AbilityKind
  readonly inputs: readonly InputFacts[]
  /** Nothing on the screen shows the outcome. */
  readonly unproven?: boolean | undefined
  /** A run may buy something. */
  readonly may_purchase?: boolean | undefined
  /** A person must agree to each run. */
  readonly supervised?: boolean | undefined
}

const HEADING = '## Run'
const INTROS = {
  runnable: 'Apprentice does this on a connected phone and reads from the phone whether it worked.',
  guidance: 'This ability is guidance: a document to follow. Apprentice cannot run it.',
} as const
const WAIT_MS = 60_000
const DEFAULT_ADDRESS = 'http://127.0.0.1:4870'

/** The section of SKILL.md that says how the ability is run, what its outcomes mean and when a person is asked. */
export function formatRunSection(facts: RunFacts): string {
  const lines = facts.kind === 'guidance' ? formatGuidance(facts) : formatRunnable(facts)
  return `${[HEADING, '', ...lines].join('\n')}\n`
}

function formatGuidance({ ability_id }: RunFacts): string[] {
  return [
    INTROS.guidance,
    '',
    `- Ability: ${formatCodeSpan(ability_id)}`,
    '- Reach the states below by hand. Ask a person if one of them cannot be reached.',
    '- The MCP tool `verify_checkpoint` records a state that was reached.',
  ]
}

function formatRunnable(facts: RunFacts): string[] {
  return [
    INTROS.runnable,
    'Run it in one of these ways. The steps by hand are for the case that none is possible.',
    '',
    ...formatCalls(facts),
    '',
    'The MCP server and the command find the token themselves: in `APPRENTICE_TOKEN`, or in `secrets/admin.token` of the',
    "daemon's home. For HTTP a person makes one with `apprentice token create`. Never write a token into a file or a message.",
    '',
    '### Inputs',
    '',
    ...formatInputs(facts.inputs),
    '',
    '### Outcomes',
    '',
    ...OUTCOME_LINES,
    '',
    '### When to ask a person',
    '',
    ...formatQuestions(facts),
  ]
}

function formatCalls({ ability_id, inputs, may_purchase }: RunFacts): string[] {
  const examples = collectExampleInputs(inputs)
  const consent = may_purchase === true ? { allow_capabilities: ['purchase_risk'] } : {}
  const words = Object.entries(examples).map(([name, value]) => `${name}=${quoteForShell(String(value))}`)
  const allow = may_purchase === true ? ['--allow', 'purchase_risk'] : []
  const command = ['apprentice', 'run', ability_id, ...words, ...allow].join(' ')
  const body = JSON.stringify({ inputs: examples, wait_ms: WAIT_MS, ...consent })
  return [
    `- Ability: ${formatCodeSpan(ability_id)}`,
    `- MCP: the tool \`run_ability\` with ${formatCodeSpan(JSON.stringify({ ability_id, inputs: examples }))}`,
    `- Command: ${formatCodeSpan(command)}`,
    `- HTTP: ${formatCodeSpan(`POST ${DEFAULT_ADDRESS}/api/abilities/${ability_id}/run`)} (or the address that the daemon`,
    `  printed) with the header \`Authorization: Bearer $APPRENTICE_TOKEN\` and the body ${formatCodeSpan(body)}`,
  ]
}

const quoteForShell = (value: string): string =>
  /^[\w.,:@%+/-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`

function formatInputs(inputs: readonly InputFacts[]): string[] {
  if (inputs.length === 0) return ['None; it is the same each time.']
  return inputs.map((input) => {
    const { name, type, summary = '', required = true, choices = [] } = input
    const need = required ? 'required' : 'optional'
    const words = summary === '' ? '' : ` ${escapeMarkdown(summary).replace(/(?<![.!?])[.!?]+$/, '')}.`
    const offered = choices.length === 0 ? '' : ` One of: ${choices.map(escapeMarkdown).join(', ')}.`
    const example = formatCodeSpan(String(chooseExample(input)))
    return `- **${escapeMarkdown(name)}** (${type}, ${need})${words}${offered} Example: ${example}.`
  })
}

const OUTCOME_LINES = [
  '- `success` (exit code 0): the phone showed the outcome. Report what it showed.',
  '- `failed` (exit code 1): the outcome was not reached. Report the step and what the phone showed instead.',
  '- `indeterminate` (exit code 3): it may have had an effect, and the outcome is unknown. Do not repeat it.',
  '- `cancelled` (exit code 1): it was stopped before it had an effect.',
  '- A refusal (exit code 2): the request was invalid and nothing was done. The message names what to correct.',
]

const formatQuestions = ({ may_purchase, supervised, unproven }: RunFacts): string[] => [
  ...(supervised === true ? ['- Before each run: it requires the consent of a person.'] : []),
  ...(may_purchase === true ? ['- Before each run: it may buy something. `purchase_risk` is that consent.'] : []),
  ...(unproven === true ? ['- After each run: no screen shows the outcome, so each run ends `indeterminate`.'] : []),
  '- A required input was not stated. Do not guess it.',
  '- The outcome is `indeterminate`, or `failed` after a step that may have changed something.',
]

interface Span {
  readonly start: number
  readonly end: number
}

/** Where the Run sections of a document are. A heading inside a code block is none. */
function findRunSections(document: string): Span[] {
  const found: Span[] = []
  let [at, fenced, open] = [findBodyOffset(document), false, -1]
  while (at < document.length) {
    const end = document.indexOf('\n', at)
    const next = end < 0 ? document.length : end + 1
    const line = document.slice(at, next).trimEnd()
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced
    else if (!fenced && /^#{1,2} /.test(line)) {
      if (open >= 0) found.push({ start: open, end: at })
      open = line === HEADING ? at : -1
    }
    at = next
  }
  return open >= 0 ? [...found, { start: open, end: document.length }] : found
}

/** Whether a Run section of the document says how this ability is run. */
export const hasRunSection = (document: string, { ability_id, kind }: Pick<RunFacts, 'ability_id' | 'kind'>): boolean =>
  findRunSections(document)
    .map(({ start, end }) => document.slice(start, end))
    .some((section) => section.includes(formatCodeSpan(ability_id)) && section.includes(INTROS[kind]))

/**
 * The document with the section after its title, unless it says already how the ability is run. A section that was
 * written for another ability, such as the one the skill was exported from, is replaced.
 */
export function addRunSection(document: string, facts: RunFacts): string {
  if (hasRunSection(document, facts)) return document
  const section = formatRunSection(facts)
  const earlier = findRunSections(document).find(({ start, end }) => isGenerated(document.slice(start, end)))
  if (earlier !== undefined) {
    return `${document.slice(0, earlier.start)}${section}\n${document.slice(earlier.end)}`
  }
  const bodyAt = findBodyOffset(document)
  const title = /^\s*# [^\n]*(?:\n|$)/.exec(document.slice(bodyAt))?.[0] ?? ''
  const at = bodyAt + title.length
  const head = document.slice(0, at)
  const gap = head === '' ? '' : head.endsWith('\n') ? '\n' : '\n\n'
  return `${head}${gap}${section}\n${document.slice(at).replace(/^(?:\r?\n)+/, '')}`
}

const isGenerated = (section: string): boolean => Object.values(INTROS).some((line) => section.includes(line))
