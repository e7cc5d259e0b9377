import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { writeHeader } from '../../knowledge/markdown/write-header.ts'
import { clip, oneLine } from '../../knowledge/text/plain-text.ts'

export interface SkillParts {
  readonly slug: string
  readonly meaning: SemanticWorkflowInterpretation
  readonly triggers: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly support_packs: readonly string[]
  readonly app: string | undefined
  readonly session: Pick<StoredSession, 'execution_mode' | 'device_serial'>
  /** What is said anew each time; absent when nothing is known of it. */
  readonly inputs?: readonly SkillInput[] | undefined
  /** What must hold for it to be done at all. */
  readonly conditions?: readonly string[] | undefined
  /** What helps whoever does it. */
  readonly hints?: readonly string[] | undefined
}

export interface SkillInput {
  readonly name: string
  readonly type: string
  readonly summary?: string | undefined
  readonly required: boolean
  readonly choices?: readonly string[] | undefined
}

/** The SKILL.md an agent reads: frontmatter, then outcomes. Never a list of clicks. */
export function skillDocument(parts: SkillParts): string {
  return `${frontmatter(parts)}\n${body(parts)}`
}

function frontmatter({ slug, meaning, ...parts }: SkillParts): string {
  return writeHeader({
    name: slug,
    title: meaning.title,
    description: description(meaning),
    version: '0.1.0',
    triggers: parts.triggers,
    'negative-triggers': parts.negative_triggers,
    'allowed-tools': [],
    'support-packs': parts.support_packs,
    'connector-hints': [],
    'depends-on': [],
    'preferred-control-surfaces': meaning.preferred_control_surfaces,
    'estimated-cost-class': 'unknown',
    'portability-grade': portability(meaning.preferred_control_surfaces),
    'schema-version': 1,
  })
}

function description({ goal_summary, use_conditions }: SemanticWorkflowInterpretation): string {
  const goal = goal_summary.replace(/[.!?]+$/u, '')
  return clip(`${goal}. Use when: ${use_conditions.join('; ')}`, 500)
}

const anywhere = new Set(['native_openclaw_tool', 'native_openclaw_browser'])
const throughAdapter = new Set(['bridge_tool', 'mcp_connector', 'mcp_server', 'app_api'])

export function portability(surfaces: readonly string[]): string {
  if (surfaces.length === 0) return 'local_only'
  if (surfaces.every((surface) => anywhere.has(surface))) return 'direct'
  return surfaces.every((surface) => anywhere.has(surface) || throughAdapter.has(surface))
    ? 'adapter_required'
    : 'local_only'
}

function body({ meaning, app, session, inputs, conditions = [], hints = [] }: SkillParts): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Purpose', [escapeMarkdown(meaning.goal_summary)]],
    ['When to use', bullets(meaning.use_conditions)],
    ['When not to use', bullets(meaning.non_use_conditions, 'No exception was named.')],
    ['Starting conditions', startingConditions(app, session.device_serial !== undefined)],
    ...section('Inputs', inputs, (known) => inputItems(known)),
    ...section('Conditions', conditions.length === 0 ? undefined : conditions, (said) =>
      bullets(said),
    ),
    ...section('Hints', hints.length === 0 ? undefined : hints, (said) => bullets(said)),
    ['Checkpoints', [`${pace[session.execution_mode]}\n`, ...checkpointItems(meaning)]],
    ['Success conditions', bullets(meaning.success_conditions, 'None was shown; ask the user.')],
    ['If a checkpoint cannot be met', [...whenStuck]],
    ['Reporting', [...reporting]],
  ]
  const text = sections.map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}\n`)
  return [`# ${escapeMarkdown(meaning.title)}\n`, ...text].join('\n')
}

/** A section that is there only when there is something to say. */
function section<T>(
  heading: string,
  known: T | undefined,
  write: (known: T) => readonly string[],
): (readonly [string, readonly string[]])[] {
  return known === undefined ? [] : [[heading, write(known)]]
}

function inputItems(inputs: readonly SkillInput[]): string[] {
  if (inputs.length === 0) return ['None; it is the same each time.']
  return inputs.map(({ name, type, summary = '', required, choices = [] }) => {
    const need = required ? 'required' : 'optional'
    const offered =
      choices.length === 0 ? '' : ` One of: ${choices.map(escapeMarkdown).join(', ')}.`
    return `- **${escapeMarkdown(name)}** (${type}, ${need}) ${escapeMarkdown(summary)}.${offered}`
  })
}

const pace = {
  strict: 'Reach these states in this order and verify each one before going on.',
  guided: 'Reach these states; the order is the recommended one.',
  adaptive: 'These states are what counts; reach them in whatever way fits.',
} as const

const whenStuck = [
  'Stop, keep what was reached, and say which checkpoint is missing and what the screen shows instead.',
  'Do not undo or repeat a step that may have changed something without asking.',
]

const reporting = [
  'Say which checkpoints were reached and how that was seen.',
  'The verify_checkpoint tool may be used to record them; a run is complete without it.',
]

function startingConditions(app: string | undefined, onDevice: boolean): string[] {
  return bullets(
    [
      ...(app === undefined ? [] : [`This app is available: ${app}`]),
      ...(onDevice ? ['A connected Android device is available'] : []),
    ],
    'Nothing special was noticed.',
  )
}

function checkpointItems({ checkpoints }: SemanticWorkflowInterpretation): string[] {
  if (checkpoints.length === 0) return ['No intermediate state was shown.']
  return checkpoints.map(
    ({ checkpoint_id, goal, success_condition }, index) =>
      `${index + 1}. **${checkpoint_id}** ${escapeMarkdown(goal)}. Reached when: ${escapeMarkdown(success_condition)}.`,
  )
}

const bullets = (entries: readonly string[], otherwise = ''): string[] =>
  entries.length === 0 ? [otherwise] : entries.map((entry) => `- ${escapeMarkdown(entry)}`)

/**
 * Foreign text as plain words: on one line, without emphasis, links, markup, or a start that would make the line
 * a heading, a list or a rule.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text, 2000)
    .replaceAll(/[\\`*_{}[\]<>|~#&@]/gu, String.raw`\$&`)
    .replaceAll(/:(?=\/\/)/gu, String.raw`\:`)
    .replaceAll(/\bwww\./giu, (www) => `${www.slice(0, -1)}\\.`)
    .replace(/^[-+=]/u, String.raw`\$&`)
    .replace(/^(\d+)([.)])/u, String.raw`$1\$2`)
}
