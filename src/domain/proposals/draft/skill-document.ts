import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { StoredSession } from '../../../store/sessions/learn-sessions.ts'
import { writeHeader } from '../../../knowledge/markdown/write-header.ts'
import { escapeMarkdown } from '../../../knowledge/markdown/escape.ts'
import { buildAgentFields } from '../../../knowledge/skill-format/agent-fields.ts'
import { formatRunSection, type RunFacts } from '../../../knowledge/skill-format/run-section.ts'
import { clip, toOneLine } from '../../../knowledge/text/plain-text.ts'

export interface SkillParts {
  readonly slug: string
  readonly interpretation: SemanticWorkflowInterpretation
  readonly triggers: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly support_packs: readonly string[]
  readonly app: string | undefined
  readonly session: Pick<StoredSession, 'execution_mode' | 'device_serial'>
  readonly run: RunFacts
  /** The values that a run returns. */
  readonly outputs?: readonly { readonly name: string; readonly type: string }[] | undefined
  /** Preconditions. */
  readonly conditions?: readonly string[] | undefined
  readonly hints?: readonly string[] | undefined
  /** Tools of connectors, in the order of their calls. */
  readonly tools?: readonly string[] | undefined
}

/** The SKILL.md an agent reads: frontmatter, how to run it, and the states to reach, without a list of clicks. */
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
    ...buildAgentFields(parts.run.kind),
    'support-packs': parts.support_packs,
    'connector-hints': [],
    'depends-on': [],
    'preferred-control-surfaces': interpretation.preferred_control_surfaces,
    'estimated-cost-class': 'unknown',
    'portability-grade': gradePortability(interpretation.preferred_control_surfaces),
    'schema-version': 1,
  })
}

/** One sentence: what the skill does and when to use it. A condition that repeats the goal says nothing new. */
function formatDescription({ title, goal_summary, use_conditions }: SemanticWorkflowInterpretation): string {
  const goal = joinSentences(goal_summary)
  const said = [title, goal_summary].map(fold)
  const cases = use_conditions.map(joinSentences).filter((condition) => {
    const words = fold(condition.replace(/^The user asks for this:/i, ''))
    return words !== '' && !said.includes(words)
  })
  const when = cases.length === 0 ? 'when a person asks for it' : `when: ${cases.join('; or ')}`
  return `${clip(`${goal}; use it ${when}`, 499)}.`
}

const joinSentences = (text: string): string =>
  toOneLine(text, 600)
    .replace(/(?<![.!?\s])[.!?\s]+$/u, '')
    .replaceAll(/(?<![.!?])[.!?]+\s+/gu, '; ')

const fold = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')

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
  conditions = [],
  hints = [],
  tools = [],
  outputs = [],
  run,
}: SkillParts): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Purpose', [escapeMarkdown(interpretation.goal_summary)]],
    ['When to use', formatBullets(interpretation.use_conditions)],
    ['When not to use', formatBullets(interpretation.non_use_conditions, 'No exception was named.')],
    ['By hand', [...BY_HAND_LINES[run.kind]]],
    ['Starting conditions', formatStartingConditions(app, session.device_serial !== undefined)],
    ...optionalSection('Tools', tools.length === 0 ? undefined : tools, (calls) => [
      'Call these tools of connected servers, in this order:\n',
      ...formatBullets(calls),
    ]),
    ...optionalSection('Outputs', outputs.length === 0 ? undefined : outputs, (values) => formatOutputs(values)),
    ...optionalSection('Conditions', conditions.length === 0 ? undefined : conditions, (entries) =>
      formatBullets(entries),
    ),
    ...optionalSection('Hints', hints.length === 0 ? undefined : hints, (entries) => formatBullets(entries)),
    ['Checkpoints', [`${CHECKPOINT_INTRO[session.execution_mode]}\n`, ...formatCheckpoints(interpretation)]],
    ['Success conditions', formatBullets(interpretation.success_conditions, 'None was shown; ask the user.')],
    ...optionalSection('Unproven', run.unproven === true ? UNPROVEN_LINES : undefined, (lines) => lines),
    ['If a checkpoint cannot be met', [...RECOVERY_LINES]],
    ['Reporting', [...REPORTING_LINES]],
  ]
  const text = sections.map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}\n`)
  return [`# ${escapeMarkdown(interpretation.title)}\n`, formatRunSection(run), ...text].join('\n')
}

/** No section if the value is undefined. */
function optionalSection<T>(
  heading: string,
  value: T | undefined,
  write: (value: T) => readonly string[],
): (readonly [string, readonly string[]])[] {
  return value === undefined ? [] : [[heading, write(value)]]
}

const OUTPUT_TYPES: Readonly<Record<string, string>> = { string: 'text', list: 'list of texts' }

const formatOutputs = (outputs: NonNullable<SkillParts['outputs']>): string[] =>
  outputs.map(({ name, type }) => `- **${escapeMarkdown(name)}** (${OUTPUT_TYPES[type] ?? type}) is returned by a run.`)

const BY_HAND_LINES = {
  runnable: ['The rest is for the case that no run is possible: how to reach the same outcome by hand.'],
  guidance: ['How to reach the outcome.'],
} as const

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
