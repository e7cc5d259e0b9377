import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { RESULT_MARKER } from '../../src/knowledge/skill-script/frame-reader.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'

export interface SkillSpec {
  /** The texts of the scripts by file name under scripts/. */
  readonly scripts: Readonly<Record<string, string>>
  readonly document?: Readonly<Record<string, unknown>>
  readonly program?: string
  /** The scripts in skill.json; all by default. */
  readonly listed?: readonly string[]
}

/** Creates a folder of skills that is removed after the test. */
export function createSkillRoot(): string {
  const repository = mkdtempSync(join(tmpdir(), 'apprentice-skills-'))
  onTestFinished(() => rmSync(repository, { recursive: true, force: true }))
  const root = join(repository, 'skills')
  mkdirSync(root)
  return root
}

export function writeSkill(root: string, id: string, skill: SkillSpec): void {
  const folder = join(root, id)
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  for (const [name, text] of Object.entries(skill.scripts)) {
    const file = join(folder, 'scripts', name)
    writeFileSync(file, text)
    chmodSync(file, 0o755)
  }
  const names = skill.listed ?? Object.keys(skill.scripts)
  const document = {
    id,
    path: `skills/${id}`,
    skillFile: `skills/${id}/SKILL.md`,
    scripts: names.map((name) => `skills/${id}/scripts/${name}`),
    artifacts: [],
    ...skill.document,
  }
  writeFileSync(join(folder, 'skill.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'SKILL.md'), skill.program ?? `---\nname: ${id}\n---\n# ${id}\n`)
}

export const SKILL_ID = 'com.test.it'

export interface SkillDaemon {
  readonly daemon: Daemon
  readonly root: string
  /** Runs a skill and waits for its end. */
  readonly run: (body?: object, id?: string) => Promise<SkillRun>
  /** Starts a skill without waiting. */
  readonly start: (body?: object, id?: string) => Promise<SkillRun>
  readonly read: (runId: string) => Promise<SkillRun>
  readonly until: (runId: string, state: string) => Promise<SkillRun>
}

/** Starts a daemon with one skill; a text is its run.js. */
export async function startSkillDaemon(script: string | SkillSpec, options: DaemonOptions = {}): Promise<SkillDaemon> {
  const root = createSkillRoot()
  writeSkill(root, SKILL_ID, typeof script === 'string' ? { scripts: { 'run.js': script } } : script)
  const daemon = await startDaemon({
    ...options,
    config: { skillRoots: [dirname(root)], ...options.config },
  })
  return { daemon, root, ...createRunClient(daemon) }
}

export function createRunClient(daemon: Daemon): Omit<SkillDaemon, 'daemon' | 'root'> {
  const post = async (body: object, id: string, status: number) => {
    const reply = await daemon.post(`/api/skills/${id}/run`, body)
    expect(reply.statusCode, reply.body).toBe(status)
    return reply.json<{ run: SkillRun }>().run
  }
  const read = async (runId: string) => {
    const reply = await daemon.get(`/api/skills/runs/${runId}`)
    return reply.json<{ run: SkillRun }>().run
  }
  return {
    read,
    run: (body = {}, id = SKILL_ID) => post({ wait_ms: 60_000, ...body }, id, 200),
    start: (body = {}, id = SKILL_ID) => post(body, id, 202),
    until: async (runId, state) => {
      await expect.poll(async () => (await read(runId)).state, { timeout: 20_000 }).toBe(state)
      return read(runId)
    },
  }
}

/** JavaScript that prints a result frame. */
export const buildResultScript = (changes: object = {}): string => {
  const report = {
    contractVersion: '1.0.0',
    skillId: SKILL_ID,
    status: 'success',
    checkpoints: [],
    ...changes,
  }
  return `console.log(${JSON.stringify(RESULT_MARKER)}); console.log(${JSON.stringify(JSON.stringify(report))});`
}

/** The living processes of a run. */
export function listRunProcesses(runId: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
        const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
        return state !== 'Z' && environment.includes(runId)
      } catch {
        return false
      }
    })
}

/** The living members of a process group. */
export function listGroupProcesses(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
        const [state, , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return state !== 'Z' && Number(own) === group
      } catch {
        return false
      }
    })
}
