import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
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
import { releaseUserId, takeUserId } from '../processes/run-user.ts'
import { removeStage, UserStage } from '../home/user-stage.ts'
import { listHelperFolders } from './helper-folders.ts'
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
    const { user_ids } = this.#deps.config.settings.skills
    this.#containment ??= detectContainment(this.#deps.environment['PATH'] ?? '', user_ids)
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
    const { kind } = await this.containment()
    if (kind === 'user') return this.#runAsUser(setting, follower)
    const folder = new RunFolder(this.#runs, run_id)
    const socket = kind === 'none' || url === '' ? undefined : await openDaemonSocket(url)
    const token = issueToken(run_id, follower.owner_user_id)
    try {
      await folder.open(shim, {
        run_id,
        url,
        socket: socket && SOCKET_PATH,
        token: token.secret,
        trace: { ...setting.trace },
      })
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

  /** Runs a script under a user id that no other program has, on a copy of its skill outside the home. */
  async #runAsUser(setting: RunSetting, follower: RunFollower): Promise<SkillRunResult> {
    const { run_id } = setting
    const { config, issueToken, shim } = this.#deps
    const user = await takeUserId(config.settings.skills.user_ids ?? [0, -1])
    if (user === undefined) throw new Failure('SKILL_NOT_CONTAINED', 'All user ids for scripts are in use.')
    const logs = new RunFolder(this.#runs, run_id)
    const stage = await UserStage.open(user)
    const folder = new RunFolder(stage.path, 'run')
    const token = issueToken(run_id, follower.owner_user_id)
    try {
      await logs.openLogs({ user, stage: stage.path })
      await folder.open(shim, { run_id, url: this.#deps.url() ?? '', token: token.secret, trace: { ...setting.trace } })
      const staged = { ...setting, plan: await copyPlan(stage, setting.plan) }
      if (setting.agent !== undefined) await this.#writePrompt(folder, staged)
      await stage.handOver({ read: [folder.path], write: [folder.work, folder.logs] })
      const end = await this.#start({ folder, socket: undefined, user }, staged, follower)
      await this.#writeLogs(logs, setting, end)
      await logs.takeLogs(folder.logs)
      return { ...toRunResult(setting, end, logs.logs), containment: 'user' }
    } finally {
      token.revoke()
      releaseUserId(user)
      await stage.close()
      await logs.close()
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
    const folder = new RunFolder(this.#runs, runId)
    const place = await folder.readUserPlace()
    await endProcessFamily({ mark: `${RUN_MARK_VARIABLE}=${runId}`, user: place?.user }, GRACE_MS)
    if (place !== undefined) await removeStage(place.stage)
    await folder.close()
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

  async #start({ folder, socket, user }: RunPlace, setting: RunSetting, follower: RunFollower): Promise<ProgramResult> {
    const { script } = setting.plan
    const args = buildScriptArguments(setting)
    const isNode = script.endsWith('.js')
    const containment = await this.containment()
    const program = { file: isNode ? process.execPath : script, args: isNode ? [script, ...args] : args }
    const isWrapped = containment.kind === 'bubblewrap'
    const env = buildRunEnvironment(setting, folder, this.#deps.environment)
    return runProgram({
      ...containProgram(containment, program, await this.#listFiles(folder, setting, socket)),
      isWrapped,
      cwd: folder.work,
      // The home of the daemon's user is not visible to a contained script.
      env: containment.kind === 'none' ? env : { ...env, HOME: folder.work },
      user,
      timeoutMs: setting.timeout_ms,
      graceMs: GRACE_MS,
      limits: LIMITS,
      mark: `${RUN_MARK_VARIABLE}=${setting.run_id}`,
      signal: follower.signal,
      onPrinted: (stream, text) => follower.onPrinted(stream, text),
    })
  }

  async #listFiles(
    folder: RunFolder,
    { plan, agent }: RunSetting,
    socket: DaemonSocket | undefined,
  ): Promise<ContainedFiles> {
    const { network, readable } = this.#deps.config.settings.skills
    return {
      readable: [
        folder.path,
        plan.folder,
        ...(await listHelperFolders(plan.folder)),
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

/** Where a program runs, how it reaches the daemon, and as which user. */
interface RunPlace {
  readonly folder: RunFolder
  readonly socket: DaemonSocket | undefined
  readonly user?: number | undefined
}

/** The same plan on a copy of the skill, with the helpers beside it. */
async function copyPlan(stage: UserStage, plan: SkillPlan): Promise<SkillPlan> {
  const folder = await stage.copy(plan.folder)
  for (const helpers of await listHelperFolders(plan.folder)) await stage.copy(helpers)
  if (folder === undefined) throw new Failure('SKILL_NOT_FOUND', `The folder of ${plan.skill_id} cannot be read.`)
  const move = (path: string) => join(folder, relative(plan.folder, path))
  const registry_path = plan.registry_path === undefined ? undefined : await stage.copy(plan.registry_path)
  return { ...plan, folder, script: move(plan.script), program: move(plan.program), registry_path }
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
