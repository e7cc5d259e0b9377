import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { writeFrontmatter } from './frontmatter.ts'
import { byId, registryText } from './indexes.ts'
import { idOf } from './registry.ts'
import { runScript, shellScript } from './scaffold-scripts.ts'
import { readSkillId } from './skill-id.ts'

export interface ScaffoldRequest {
  readonly skill_id: string
  readonly summary?: string | undefined
  readonly recording_context?: string | undefined
}

export interface ScaffoldFile {
  /** Below the folder of the skill. */
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

/** Everything a new skill begins with. */
export function scaffoldSkill(request: ScaffoldRequest): Scaffold {
  const { id, applicationId, intent } = readSkillId(request.skill_id)
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
  const context = readContext(request.recording_context)
  const files: ScaffoldFile[] = [
    { path: 'SKILL.md', content: skillDocument(entry, context !== undefined) },
    { path: 'skill.json', content: `${JSON.stringify(entry, null, 2)}\n` },
    { path: 'scripts/run.js', content: runScript(entry) },
    { path: 'scripts/run.sh', content: shellScript, executable: true },
    ...(context === undefined ? [] : [{ path: CONTEXT_FILE, content: context }]),
  ]
  return { entry, files, ...(context === undefined ? {} : { recordingContext: CONTEXT_FILE }) }
}

/** The registry with one skill more. What else it holds stays as it is. */
export function withSkill(
  registry: string | undefined,
  entry: SkillEntry,
  now: string,
): { readonly text: string; readonly skills: readonly unknown[] } {
  if (registry === undefined) return { text: registryText([entry], now), skills: [entry] }
  // Whoever calls has read it as a registry before.
  const document = JSON.parse(registry) as { skills: readonly unknown[] }
  const skills = byId([...document.skills, entry].map((raw) => ({ id: idOf(raw) ?? '', raw }))).map(
    ({ raw }) => raw,
  )
  const text = `${JSON.stringify({ ...document, generatedAt: now, skills }, null, 2)}\n`
  return { text, skills }
}

function readSummary(given = ''): string {
  if (given.includes('\0')) throw failed('A summary holds no NUL')
  return given.replaceAll(/\r\n?/g, '\n').trim()
}

function readContext(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.trim() === '') throw failed('The recording context is empty')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw failed('The recording context is not JSON')
  }
  const read = RecordingExport.safeParse(document)
  if (read.success) return text
  const [issue] = read.error.issues
  throw failed(`The recording context is no recording export: ${issue?.path.join('.')}`)
}

const failed = (message: string): Failure => new Failure('SKILLS_SCAFFOLD_FAILED', message)

function skillDocument({ id, summary, scripts }: SkillEntry, hasContext: boolean): string {
  const head = writeFrontmatter({ name: id, type: 'replay', description: summary })
  const context = hasContext
    ? `## Recording Context

\`${CONTEXT_FILE}\` is what was recorded when this skill was begun. It is there to be read while the script is
written; nothing runs it.

`
    : ''
  return `${head}
Starter scaffold. Fill in before anybody relies on it:

- what the skill does, and on which screens
- the inputs it takes, and the contract in \`skill.json\` that declares them
- the actions in \`scripts/run.js\`
- how a run proves that the outcome is there

${context}Usage:

\`\`\`bash
node ${scripts[0]} <device_id> [operator_package]
\`\`\`
`
}
