import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import {
  type RunSetting,
  runEnvironment,
  runMark,
  runPrompt,
  scriptArguments,
} from '../knowledge/skill-script/environment.ts'
import { outputsKept } from '../domain/skill-runs/follow-run.ts'
import type { SkillPlan } from '../knowledge/skill-script/plan-run.ts'
import type { FoundSkill, SkillSource } from '../knowledge/skill-script/skill-source.ts'
import { Failure } from '../failure/failure.ts'
import type { PerformedRun, RunFollower, SkillRunPort } from '../jobs/skill-runs.ts'
import { findAgentProgram } from '../processes/agent-program.ts'
import { endFamily } from '../processes/process-family.ts'
import { pruneRunFolders, RunFolder } from '../processes/run-folder.ts'
import { type OutputLimits, type ProgramEnd, runProgram } from '../processes/run-program.ts'
import type { DeviceReader } from '../device-runtime/devices/device-reader.ts'

/** Lets a program ask the daemon, for one run. */
export type Lend = (
  runId: string,
  owner: string,
) => { readonly secret: string; readonly takeBack: () => void }

export interface SkillRunProgramDeps {
  readonly config: Pick<Config, 'home' | 'skillAgent'>
  readonly source: SkillSource
  readonly eyes: DeviceReader
  readonly lend: Lend
  /** Where the daemon listens; undefined as long as it does not. */
  readonly url: () => string | undefined
  /** The program scripts act on phones with. */
  readonly shim: string
  readonly environment: Readonly<Record<string, string>>
}

const limits: OutputLimits = { head: 196_608, tail: 65_536, bytes: 64 * 1_048_576 }
const graceMs = 2000
const lookMs = 20_000

/** Starts the scripts of skills, each in a folder and a group of its own. */
export class SkillRunProgram implements SkillRunPort {
  readonly #stage: SkillRunProgramDeps
  readonly #runs: string

  constructor(stage: SkillRunProgramDeps) {
    this.#stage = stage
    this.#runs = join(stage.config.home, 'skill-runs')
  }

  find(skillId: string): Promise<FoundSkill | undefined> {
    return this.#stage.source.find(skillId)
  }

  async check({ skill_id, script, folder, manifest }: SkillPlan): Promise<RunSetting['agent']> {
    const needs = script.endsWith('.js') ? constants.R_OK : constants.X_OK
    await access(script, needs).catch(() => {
      throw new Failure('SKILL_SCRIPT_NOT_FOUND', `The script of ${skill_id} cannot be run.`, {
        details: { script },
      })
    })
    if (manifest.agent === undefined) return undefined
    const { config, environment } = this.#stage
    const choice = config.skillAgent === undefined ? manifest.agent : { cli: config.skillAgent }
    const searchPath = environment['PATH'] ?? ''
    const path = await findAgentProgram(choice, { folder, searchPath })
    if (path !== undefined) return { cli: choice.cli, path }
    throw new Failure('SKILL_AGENT_CLI_UNAVAILABLE', `${choice.cli} is not installed here.`, {
      details: { skill_id, agent_cli: choice.cli },
    })
  }

  async perform(setting: RunSetting, follower: RunFollower): Promise<PerformedRun> {
    const { run_id } = setting
    const { lend, shim, url } = this.#stage
    const folder = new RunFolder(this.#runs, run_id)
    const lent = lend(run_id, follower.owner_user_id)
    try {
      await folder.open(shim, { run_id, url: url() ?? '', token: lent.secret })
      if (setting.agent !== undefined) await this.#writePrompt(folder, setting)
      const end = await this.#start(folder, setting, follower)
      await this.#keepLogs(folder, setting, end)
      return performed(setting, end, folder.logs)
    } finally {
      lent.takeBack()
      await folder.close()
      await this.tidy()
    }
  }

  async labels(serial: string, principal: string): Promise<readonly string[]> {
    const { eyes } = this.#stage
    const { snapshot } = await eyes.snapshot(serial, { principal, timeoutMs: lookMs })
    return snapshot.elements.filter(({ visible }) => visible).map(({ label }) => label)
  }

  async endLeft(runId: string): Promise<void> {
    await endFamily({ mark: `${runMark}=${runId}` }, graceMs)
    await new RunFolder(this.#runs, runId).close()
  }

  /** Keeps the logs of the newest runs. */
  async tidy(): Promise<void> {
    await pruneRunFolders(this.#runs, outputsKept)
  }

  #start(folder: RunFolder, setting: RunSetting, follower: RunFollower): Promise<ProgramEnd> {
    const { script } = setting.plan
    const words = scriptArguments(setting)
    const node = script.endsWith('.js')
    return runProgram({
      file: node ? process.execPath : script,
      args: node ? [script, ...words] : words,
      cwd: folder.work,
      env: runEnvironment(setting, folder, this.#stage.environment),
      timeoutMs: setting.timeout_ms,
      graceMs,
      limits,
      mark: `${runMark}=${setting.run_id}`,
      signal: follower.signal,
      onPrinted: (stream, text) => follower.onPrinted(stream, text),
    })
  }

  async #writePrompt(folder: RunFolder, setting: RunSetting): Promise<void> {
    const program = await readFile(setting.plan.program, 'utf8').catch(() => '')
    await folder.write('prompt.md', runPrompt(setting, folder, program))
  }

  async #keepLogs(folder: RunFolder, setting: RunSetting, end: ProgramEnd): Promise<void> {
    const { stdout, stderr, ...how } = end
    const { run_id, plan, args, serial, timeout_ms, agent } = setting
    const { skill_id, kind, script, program } = plan
    const facts = {
      run_id,
      skill_id,
      kind,
      script,
      program,
      args,
      serial,
      timeout_ms,
      agent,
      ...how,
    }
    await folder.write('stdout.log', stdout.text)
    await folder.write('stderr.log', stderr.text)
    await folder.write('run.json', `${JSON.stringify(facts, null, 2)}\n`)
  }
}

function performed({ timeout_ms }: RunSetting, end: ProgramEnd, log_folder: string): PerformedRun {
  const { ended_by, exit_code, signal, spawn_error, duration_ms, stdout, stderr } = end
  const process =
    ended_by === 'stopped'
      ? 'stopped'
      : { ended_by, exit_code, signal, spawn_error, duration_ms, timeout_ms }
  return { process, stdout, stderr, log_folder }
}
