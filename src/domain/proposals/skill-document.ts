import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { writeHeader } from '../../knowledge/markdown/write-header.ts'
import { clip, toOneLine } from '../../knowledge/text/plain-text.ts'

export interface SkillParts {
  readonly slug: string
  readonly interpretation: SemanticWorkflowInterpretation
  readonly triggers: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly support_packs: readonly string[]
  readonly app: string | undefined
  readonly session: Pick<StoredSession, 'execution_mode' | 'device_serial'>
  /** Undefined if the inputs are not known. */
  readonly inputs?: readonly SkillInput[] | undefined
  /** The values that a run returns. */
  readonly outputs?: readonly { readonly name: string; readonly type: string }[] | undefined
  /** Preconditions. */
  readonly conditions?: readonly string[] | undefined
  readonly hints?: readonly string[] | undefined
  /** Nothing on the screen shows the outcome. */
  readonly unproven?: boolean | undefined
}

export interface SkillInput {
  readonly name: string
  readonly type: string
  readonly summary?: string | undefined
  readonly required: boolean
  readonly choices?: readonly string[] | undefined
}

/** The SKILL.md an agent reads: frontmatter and the states to reach, without a list of clicks. */
export function formatSkillDocument(parts: SkillParts): string {
  return `${formatFrontmatter(parts)}\n${formatBody(parts)}`
}

function formatFrontmatter({ slug, interpretation, ...parts }: SkillParts): string {
  return writeHeader({
    name: slug,
    title: interpretation.title,
    description: formatDescription(interpretation),
    version: '0.1.0',
    triggers: parts.triggers,
    'negative-triggers': parts.negative_triggers,
    'allowed-tools': [],
    'support-packs': parts.support_packs,
    'connector-hints': [],
    'depends-on': [],
    'preferred-control-surfaces': interpretation.preferred_control_surfaces,
    'estimated-cost-class': 'unknown',
    'portability-grade': gradePortability(interpretation.preferred_control_surfaces),
    'schema-version': 1,
  })
}

function formatDescription({ goal_summary, use_conditions }: SemanticWorkflowInterpretation): string {
  const goal = goal_summary.replace(/(?<![.!?])[.!?]+$/u, '')
  return clip(`${goal}. Use when: ${use_conditions.join('; ')}`, 500)
}

const PORTABLE_SURFACES = new Set(['native_openclaw_tool', 'native_openclaw_browser'])
const ADAPTER_SURFACES = new Set(['bridge_tool', 'mcp_connector', 'mcp_server', 'app_api'])

export function gradePortability(surfaces: readonly string[]): string {
  if (surfaces.length === 0) return 'local_only'
  if (surfaces.every((surface) => PORTABLE_SURFACES.has(surface))) return 'direct'
  return surfaces.every((surface) => PORTABLE_SURFACES.has(surface) || ADAPTER_SURFACES.has(surface))
    ? 'adapter_required'
    : 'local_only'
}

function formatBody({
  interpretation,
  app,
  session,
  inputs,
  conditions = [],
  hints = [],
  outputs = [],
  unproven,
}: SkillParts): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Purpose', [escapeMarkdown(interpretation.goal_summary)]],
    ['When to use', formatBullets(interpretation.use_conditions)],
    ['When not to use', formatBullets(interpretation.non_use_conditions, 'No exception was named.')],
    ['Starting conditions', formatStartingConditions(app, session.device_serial !== undefined)],
    ...optionalSection('Inputs', inputs, (value) => formatInputs(value)),
    ...optionalSection('Outputs', outputs.length === 0 ? undefined : outputs, (values) => formatOutputs(values)),
    ...optionalSection('Conditions', conditions.length === 0 ? undefined : conditions, (entries) =>
      formatBullets(entries),
    ),
    ...optionalSection('Hints', hints.length === 0 ? undefined : hints, (entries) => formatBullets(entries)),
    ['Checkpoints', [`${CHECKPOINT_INTRO[session.execution_mode]}\n`, ...formatCheckpoints(interpretation)]],
    ['Success conditions', formatBullets(interpretation.success_conditions, 'None was shown; ask the user.')],
    ...optionalSection('Unproven', unproven === true ? UNPROVEN_LINES : undefined, (lines) => lines),
    ['If a checkpoint cannot be met', [...RECOVERY_LINES]],
    ['Reporting', [...REPORTING_LINES]],
  ]
  const text = sections.map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}\n`)
  return [`# ${escapeMarkdown(interpretation.title)}\n`, ...text].join('\n')
}

/** No section if the value is undefined. */
function optionalSection<T>(
  heading: string,
  value: T | undefined,
  write: (value: T) => readonly string[],
): (readonly [string, readonly string[]])[] {
  return value === undefined ? [] : [[heading, write(value)]]
}

function formatInputs(inputs: readonly SkillInput[]): string[] {
  if (inputs.length === 0) return ['None; it is the same each time.']
  return inputs.map(({ name, type, summary = '', required, choices = [] }) => {
    const need = required ? 'required' : 'optional'
    const offered = choices.length === 0 ? '' : ` One of: ${choices.map(escapeMarkdown).join(', ')}.`
    return `- **${escapeMarkdown(name)}** (${type}, ${need}) ${escapeMarkdown(summary)}.${offered}`
  })
}

const OUTPUT_TYPES: Readonly<Record<string, string>> = { string: 'text', list: 'list of texts' }

const formatOutputs = (outputs: NonNullable<SkillParts['outputs']>): string[] =>
  outputs.map(({ name, type }) => `- **${escapeMarkdown(name)}** (${OUTPUT_TYPES[type] ?? type}) is returned by a run.`)

const CHECKPOINT_INTRO = {
  strict: 'Reach these states in this order and verify each one before going on.',
  guided: 'Reach these states; the order is the recommended one.',
  adaptive: 'These states are what counts; reach them in whatever way fits.',
} as const

const UNPROVEN_LINES = [
  'No screen shows the outcome, so a run cannot be verified and ends as indeterminate.',
  'Ask the user whether it worked before you rely on it.',
]

const RECOVERY_LINES = [
  'Stop, keep what was reached, and say which checkpoint is missing and what the screen shows instead.',
  'Do not undo or repeat a step that may have changed something without asking.',
]

const REPORTING_LINES = [
  'Say which checkpoints were reached and how that was seen.',
  'The verify_checkpoint tool may be used to record them; a run is complete without it.',
]

function formatStartingConditions(app: string | undefined, onDevice: boolean): string[] {
  return formatBullets(
    [
      ...(app === undefined ? [] : [`This app is available: ${app}`]),
      ...(onDevice ? ['A connected Android device is available'] : []),
    ],
    'Nothing special was noticed.',
  )
}

function formatCheckpoints({ checkpoints }: SemanticWorkflowInterpretation): string[] {
  if (checkpoints.length === 0) return ['No intermediate state was shown.']
  return checkpoints.map(
    ({ checkpoint_id, goal, success_condition }, index) =>
      `${index + 1}. **${checkpoint_id}** ${escapeMarkdown(goal)}. Reached when: ${escapeMarkdown(success_condition)}.`,
  )
}

const formatBullets = (entries: readonly string[], otherwise = ''): string[] =>
  entries.length === 0 ? [otherwise] : entries.map((entry) => `- ${escapeMarkdown(entry)}`)

/**
 * Escapes untrusted text for one line of Markdown: no emphasis, links or markup, and no line start that would make a
 * heading, a list or a rule.
 */
export function escapeMarkdown(text: string): string {
  return toOneLine(text, 2000)
    .replaceAll(/[\\`*_{}[\]<>|~#&@]/gu, String.raw`\$&`)
    .replaceAll(/:(?=\/\/)/gu, String.raw`\:`)
    .replaceAll(/\bwww\./giu, (www) => `${www.slice(0, -1)}\\.`)
    .replace(/^[-+=]/u, String.raw`\$&`)
    .replace(/^(\d+)([.)])/u, String.raw`$1\$2`)
}
