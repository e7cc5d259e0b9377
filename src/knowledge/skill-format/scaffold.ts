import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { formatFrontmatter } from './frontmatter.ts'
import { sortById, formatRegistry } from './indexes.ts'
import { readId } from './registry.ts'
import { formatRunScript, SHELL_SCRIPT } from './scaffold-scripts.ts'
import { parseSkillId } from './skill-id.ts'

export interface ScaffoldRequest {
  readonly skill_id: string
  readonly summary?: string | undefined
  readonly recording_context?: string | undefined
}

export interface ScaffoldFile {
  /** Relative to the folder of the skill. */
  readonly path: string
  readonly content: string
  readonly executable?: true
}

export interface Scaffold {
  readonly entry: SkillEntry
  readonly files: readonly ScaffoldFile[]
  readonly recordingContext?: string
}

const CONTEXT_FILE = 'recording-context.json'

/** Builds the files of a new skill. */
export function scaffoldSkill(request: ScaffoldRequest): Scaffold {
  const { id, applicationId, intent } = parseSkillId(request.skill_id)
  const summary = readSummary(request.summary) || `TODO: describe ${id}`
  const path = `skills/${id}`
  const entry = {
    id,
    applicationId,
    intent,
    summary,
    path,
    skillFile: `${path}/SKILL.md`,
    scripts: [`${path}/scripts/run.js`, `${path}/scripts/run.sh`],
    artifacts: [],
    contract: { inputs: {}, goal: null, verification: null },
  } satisfies SkillEntry
  const context = readRecordingContext(request.recording_context)
  const files: ScaffoldFile[] = [
    { path: 'SKILL.md', content: formatSkillDocument(entry, context !== undefined) },
    { path: 'skill.json', content: `${JSON.stringify(entry, null, 2)}\n` },
    { path: 'scripts/run.js', content: formatRunScript(entry) },
    { path: 'scripts/run.sh', content: SHELL_SCRIPT, executable: true },
    ...(context === undefined ? [] : [{ path: CONTEXT_FILE, content: context }]),
  ]
  return { entry, files, ...(context === undefined ? {} : { recordingContext: CONTEXT_FILE }) }
}

/** Adds a skill to the text of a registry. Other content stays unchanged. */
export function addSkill(
  registry: string | undefined,
  entry: SkillEntry,
  now: string,
): { readonly text: string; readonly skills: readonly unknown[] } {
  if (registry === undefined) return { text: formatRegistry([entry], now), skills: [entry] }
  // The caller has parsed it as a registry before.
  const document = JSON.parse(registry) as { skills: readonly unknown[] }
  const skills = sortById([...document.skills, entry].map((raw) => ({ id: readId(raw) ?? '', raw }))).map(
    ({ raw }) => raw,
  )
  const text = `${JSON.stringify({ ...document, generatedAt: now, skills }, null, 2)}\n`
  return { text, skills }
}

function readSummary(given = ''): string {
  if (given.includes('\0')) throw scaffoldFailed('summary must not contain NUL characters')
  return given.replaceAll(/\r\n?/g, '\n').trim()
}

function readRecordingContext(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.trim() === '') throw scaffoldFailed('The recording context is empty')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw scaffoldFailed('The recording context is not JSON')
  }
  const read = RecordingExport.safeParse(document)
  if (read.success) return text
  const [issue] = read.error.issues
  throw scaffoldFailed(`The recording context is not a recording export; invalid field: ${issue?.path.join('.')}`)
}

const scaffoldFailed = (message: string): Failure => new Failure('SKILLS_SCAFFOLD_FAILED', message)

function formatSkillDocument({ id, summary, scripts }: SkillEntry, hasContext: boolean): string {
  const head = formatFrontmatter({ name: id, type: 'replay', description: summary })
  const context = hasContext
    ? `## Recording Context

\`${CONTEXT_FILE}\` is the recording from which this skill was scaffolded. Use it as a reference while you write the
script; nothing runs it.

`
    : ''
  return `${head}
Starter scaffold. Complete these parts before the skill is used:

- what the skill does, and on which screens
- the inputs it takes, and the contract in \`skill.json\` that declares them
- the actions in \`scripts/run.js\`
- how a run verifies its outcome

${context}Usage:

\`\`\`bash
node ${scripts[0]} <device_id> [operator_package]
\`\`\`
`
}
