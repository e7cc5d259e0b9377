import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import {
  type RunSetting,
  buildRunEnvironment,
  RUN_MARK_VARIABLE,
  buildRunPrompt,
  buildScriptArguments,
} from '../knowledge/skill-script/run-environment.ts'
import { MAX_STORED_OUTPUTS } from '../domain/skill-runs/skill-run-record.ts'
import type { FoundSkill, SkillPlan } from '../knowledge/skill-script/skill-plan.ts'
import { Failure } from '../failure/failure.ts'
import type { RunFollower, SkillRunPort, SkillRunResult } from '../jobs/ports.ts'
import { hashFolder } from '../files/folder-digest.ts'
import { findAgentProgram } from '../processes/agent-program.ts'
import {
  type ContainedFiles,
  type Containment,
  containProgram,
  detectContainment,
  listProgramFolders,
} from '../processes/containment.ts'
import { type DaemonSocket, openDaemonSocket } from '../processes/daemon-socket.ts'
import { endProcessFamily } from '../processes/process-family.ts'
import { pruneRunFolders, RunFolder } from '../processes/run-folder.ts'
import { type OutputLimits, type ProgramResult, runProgram } from '../processes/run-program.ts'
import type { DeviceReader } from '../device-runtime/devices/device-reader.ts'

/** Issues a token with which the program of one run may call the daemon. */
export type IssueToken = (runId: string, owner: string) => { readonly secret: string; readonly revoke: () => void }

export interface SkillRunProgramDeps {
  readonly config: Pick<Config, 'home' | 'skillAgent' | 'settings'>
  readonly findSkill: SkillRunPort['findSkill']
  readonly deviceReader: DeviceReader
  readonly issueToken: IssueToken
  /** The URL of the daemon. Undefined until it listens. */
  readonly url: () => string | undefined
  /** The program with which scripts act on phones. */
  readonly shim: string
  readonly environment: Readonly<Record<string, string>>
}

const LIMITS: OutputLimits = { head: 196_608, tail: 65_536, bytes: 64 * 1_048_576 }
const GRACE_MS = 2000
const READ_TIMEOUT_MS = 20_000
/** Where a contained script finds the socket of the daemon. */
const SOCKET_PATH = '/run/apprentice-daemon'

/** Runs the scripts of skills, each in its own folder, contained if the machine can do so. */
export class SkillRunProgram implements SkillRunPort {
  readonly #deps: SkillRunProgramDeps
  readonly #runs: string
  #containment: Promise<Containment> | undefined

  constructor(deps: SkillRunProgramDeps) {
    this.#deps = deps
    this.#runs = join(deps.config.home, 'skill-runs')
  }

  findSkill(skillId: string): Promise<FoundSkill | undefined> {
    return this.#deps.findSkill(skillId)
  }

  /** What keeps scripts apart from the daemon. */
  containment(): Promise<Containment> {
    this.#containment ??= detectContainment(this.#deps.environment['PATH'] ?? '')
    return this.#containment
  }

  async check(plan: SkillPlan): Promise<RunSetting['agent']> {
    const { skill_id, script, folder, manifest } = plan
    const needs = script.endsWith('.js') ? constants.R_OK : constants.X_OK
    await access(script, needs).catch(() => {
      throw new Failure('SKILL_SCRIPT_NOT_FOUND', `The script of ${skill_id} does not exist or is not executable.`, {
        details: { script },
      })
    })
    await this.#assertMayRun(plan)
    if (manifest.agent === undefined) return undefined
    const { config, environment } = this.#deps
    const choice = config.skillAgent === undefined ? manifest.agent : { cli: config.skillAgent }
    const searchPath = environment['PATH'] ?? ''
    const path = await findAgentProgram(choice, { folder, searchPath })
    if (path !== undefined) return { cli: choice.cli, path }
    throw new Failure('SKILL_AGENT_CLI_UNAVAILABLE', `${choice.cli} is not installed on this machine.`, {
      details: { skill_id, agent_cli: choice.cli },
    })
  }

  async run(setting: RunSetting, follower: RunFollower): Promise<SkillRunResult> {
    const { run_id } = setting
    const { issueToken, shim } = this.#deps
    const url = this.#deps.url() ?? ''
    const folder = new RunFolder(this.#runs, run_id)
    const { kind } = await this.containment()
    const socket = kind === 'none' || url === '' ? undefined : await openDaemonSocket(url)
    const token = issueToken(run_id, follower.owner_user_id)
    try {
      await folder.open(shim, { run_id, url, socket: socket && SOCKET_PATH, token: token.secret })
      if (setting.agent !== undefined) await this.#writePrompt(folder, setting)
      const end = await this.#start({ folder, socket }, setting, follower)
      await this.#writeLogs(folder, setting, end)
      return { ...toRunResult(setting, end, folder.logs), containment: kind }
    } finally {
      token.revoke()
      await socket?.close()
      await folder.close()
      await this.tidy()
    }
  }

  async readLabels(serial: string, principal: string): Promise<readonly string[]> {
    const { deviceReader } = this.#deps
    const { snapshot } = await deviceReader.snapshot(serial, {
      principal,
      timeoutMs: READ_TIMEOUT_MS,
    })
    return snapshot.elements.filter(({ visible }) => visible).map(({ label }) => label)
  }

  async endInterrupted(runId: string): Promise<void> {
    await endProcessFamily({ mark: `${RUN_MARK_VARIABLE}=${runId}` }, GRACE_MS)
    await new RunFolder(this.#runs, runId).close()
  }

  /** Removes the logs of all but the newest runs. */
  async tidy(): Promise<void> {
    await pruneRunFolders(this.#runs, MAX_STORED_OUTPUTS)
  }

  /** Without containment only skills that were created in the home may run, and those that an administrator allowed. */
  async #assertMayRun({ skill_id, folder }: SkillPlan): Promise<void> {
    const { kind, reason } = await this.containment()
    const { home, settings } = this.#deps.config
    if (kind !== 'none' || dirname(folder) === join(home, 'skills')) return
    const digest = await hashFolder(folder)
    if (settings.skills.uncontained.includes(digest)) return
    throw new Failure(
      'SKILL_NOT_CONTAINED',
      `The script of ${skill_id} comes from elsewhere and cannot be contained here: ${reason}. An administrator may allow its digest in skills.uncontained of settings.json.`,
      { details: { skill_id, digest } },
    )
  }

  async #start(
    { folder, socket }: { readonly folder: RunFolder; readonly socket: DaemonSocket | undefined },
    setting: RunSetting,
    follower: RunFollower,
  ): Promise<ProgramResult> {
    const { script } = setting.plan
    const args = buildScriptArguments(setting)
    const isNode = script.endsWith('.js')
    const containment = await this.containment()
    const program = { file: isNode ? process.execPath : script, args: isNode ? [script, ...args] : args }
    const isWrapped = containment.kind !== 'none'
    const env = buildRunEnvironment(setting, folder, this.#deps.environment)
    return runProgram({
      ...containProgram(containment, program, this.#listFiles(folder, setting, socket)),
      isWrapped,
      cwd: folder.work,
      // The home of the daemon's user is not visible to a contained script.
      env: isWrapped ? { ...env, HOME: folder.work } : env,
      timeoutMs: setting.timeout_ms,
      graceMs: GRACE_MS,
      limits: LIMITS,
      mark: `${RUN_MARK_VARIABLE}=${setting.run_id}`,
      signal: follower.signal,
      onPrinted: (stream, text) => follower.onPrinted(stream, text),
    })
  }

  #listFiles(folder: RunFolder, { plan, agent }: RunSetting, socket: DaemonSocket | undefined): ContainedFiles {
    const { network, readable } = this.#deps.config.settings.skills
    return {
      readable: [
        folder.path,
        plan.folder,
        // Scripts of one root share helpers here.
        join(dirname(plan.folder), 'utils'),
        ...(plan.registry_path === undefined ? [] : [plan.registry_path]),
        ...(agent === undefined ? [] : listProgramFolders(agent.path)),
        ...readable,
      ],
      writable: [folder.work, folder.logs],
      sockets: socket === undefined ? {} : { [SOCKET_PATH]: socket.path },
      network: network.includes(plan.skill_id),
    }
  }

  async #writePrompt(folder: RunFolder, setting: RunSetting): Promise<void> {
    const program = await readFile(setting.plan.program, 'utf8').catch(() => '')
    await folder.write('prompt.md', buildRunPrompt(setting, folder, program))
  }

  async #writeLogs(folder: RunFolder, setting: RunSetting, end: ProgramResult): Promise<void> {
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

function toRunResult(
  { timeout_ms }: RunSetting,
  end: ProgramResult,
  log_folder: string,
): Omit<SkillRunResult, 'containment'> {
  const { ended_by, exit_code, signal, spawn_error, duration_ms, stdout, stderr } = end
  const process =
    ended_by === 'stopped' ? 'stopped' : { ended_by, exit_code, signal, spawn_error, duration_ms, timeout_ms }
  return { process, stdout, stderr, log_folder }
}
