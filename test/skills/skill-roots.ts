import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Settings } from '../../src/config/config.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'

/** A published registry with the data files of its skills, without scripts. */
export const CORPUS_FOLDER = join(import.meta.dirname, '..', 'corpus', 'clawperator-skills')

interface Entry {
  readonly id: string
  readonly path: string
  readonly skillFile: string
  readonly scripts: readonly string[]
  readonly artifacts: readonly string[]
}

export const readCorpusEntries = (): Entry[] =>
  (
    JSON.parse(readFileSync(join(CORPUS_FOLDER, 'skills', 'skills-registry.json'), 'utf8')) as {
      skills: Entry[]
    }
  ).skills

/** Skills of the corpus without a declared type. */
export const UNTYPED_SKILLS = ['com.android.settings.capture-overview', 'utils.show-android-device']

export function createTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-skills-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of the corpus with minimal substitutes for the missing files. */
export function createCorpusRoot(): string {
  const root = createTempFolder()
  cpSync(CORPUS_FOLDER, root, { recursive: true })
  for (const entry of readCorpusEntries()) {
    const { id, path, skillFile, scripts, artifacts } = entry
    const type = id.endsWith('-orchestrated') ? 'orchestrated' : 'replay'
    const typeLine = UNTYPED_SKILLS.includes(id) ? '' : `clawperator-skill-type: ${type}\n`
    writeIfMissing(root, `${path}/skill.json`, JSON.stringify(entry, null, 2))
    writeIfMissing(root, skillFile, `---\nname: ${id}\n${typeLine}description: A substitute.\n---\n`)
    for (const script of scripts) writeIfMissing(root, script, '')
    for (const artifact of artifacts) writeIfMissing(root, artifact, JSON.stringify(SUBSTITUTE_ARTIFACT))
  }
  return root
}

/** A substitute for the one missing artifact: four actions, one by its alias. */
const SUBSTITUTE_ARTIFACT = {
  commandId: '{{COMMAND_ID}}',
  taskId: '{{TASK_ID}}',
  source: 'debug',
  expectedFormat: 'android-ui-automator',
  timeoutMs: 60_000,
  actions: [
    { id: 'close', type: 'close_app', params: { applicationId: 'com.theswitchbot.switchbot' } },
    { id: 'open', type: 'open_app', params: { applicationId: 'com.theswitchbot.switchbot' } },
    { id: 'snap', type: 'snapshot', params: {} },
    {
      id: 'read',
      type: 'read_text',
      params: {
        matcher: { resourceId: 'com.theswitchbot.switchbot:id/t' },
        validator: 'temperature',
      },
    },
  ],
}

function writeIfMissing(root: string, path: string, content: string): void {
  const file = join(root, path)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

export function writeFile(root: string, path: string, content: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

export const readFile = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

/** Starts a daemon with these roots in addition to its own. */
export const startWithRoots = (roots: string[], options: DaemonOptions = {}): Promise<Daemon> =>
  startDaemon({
    ...options,
    settings: {
      ...options.settings,
      skills: Settings.parse({ skills: { roots } }).skills,
    },
  })

/** Writes a valid skill and returns its registry entry. */
export function writeSkill(root: string, id: string, changes: Record<string, unknown> = {}): object {
  const path = `skills/${id}`
  const entry = {
    id,
    applicationId: id.slice(0, id.lastIndexOf('.')),
    intent: id.slice(id.lastIndexOf('.') + 1),
    summary: `Does ${id}`,
    path,
    skillFile: `${path}/SKILL.md`,
    scripts: [`${path}/scripts/run.js`],
    artifacts: [],
    ...changes,
  }
  writeFile(root, `${path}/skill.json`, JSON.stringify(entry))
  writeFile(root, `${path}/SKILL.md`, `---\nname: ${id}\nclawperator-skill-type: replay\n---\n`)
  writeFile(root, `${path}/scripts/run.js`, '')
  return entry
}

export function writeRegistry(root: string, skills: readonly unknown[]): void {
  const document = { schemaVersion: '1.0', generatedAt: '2026-01-01T00:00:00Z', skills }
  writeFile(root, 'skills/skills-registry.json', JSON.stringify(document))
}
