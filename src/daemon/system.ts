import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { resolveBlockedTermsFile, type Config } from '../config/config.ts'
import { openConnectors, type Connectors } from '../connector-runtime/open-connectors.ts'
import { DeviceChecks } from '../device-runtime/device-checks.ts'
import { LiveScreens } from '../device-runtime/live/live-screens.ts'
import {
  type DeviceRuntime,
  type DeviceRuntimeParts,
  openDeviceRuntime,
} from '../device-runtime/open-device-runtime.ts'
import { openScenes, type Scenes } from '../skill-runtime/open-scenes.ts'
import { openSceneRuns, type SceneRuns } from '../scene-runtime/open-scene-runs.ts'
import { openSkills, type Skills } from '../skill-runtime/open-skills.ts'
import { choosePhone, type PhoneInUse } from '../device-runtime/devices/phone-in-use.ts'
import { prepareHome } from '../home/close-home.ts'
import { lockHome } from '../home/home-lock.ts'
import { readOrCreateAdminToken } from '../home/secrets.ts'
import { Access } from '../http/access.ts'
import { CommandBus } from '../http/command-bus.ts'
import { createSimilarAbilityFinder } from '../domain/proposals/collisions.ts'
import { readPackagedGuides } from '../files/agent-skills.ts'
import { BundleStorage } from '../files/bundle-storage.ts'
import { LegacyImports } from '../files/legacy-imports.ts'
import { SkillPlaces } from '../files/skill-places.ts'
import { formatRunCallerKey } from '../domain/skill-runs/skill-run-start.ts'
import { callFromSkillRun } from '@apprentice/contracts/skills/runs.ts'
import type { SkillRunProgram } from '../skill-runtime/skill-run-program.ts'
import { openSkillRuns, type SkillRunsDeps } from '../skill-runtime/open-skill-runs.ts'
import { openLookup, type OpenLookup } from '../jobs/lookup-warming.ts'
import { checkInstalledFiles } from '../jobs/install/installed-files.ts'
import { Lessons } from '../jobs/lessons.ts'
import { Miner } from '../jobs/mining.ts'
import { JobRunner, type RunnerDeps } from '../jobs/runner.ts'
import { recoverImports } from '../jobs/import-recovery.ts'
import { endInterruptedSkillRuns } from '../jobs/skill-runs.ts'
import { Sweeper } from '../jobs/sweeper.ts'
import { cancelInterruptedValidation } from '../jobs/validation-runs.ts'
import { Hub } from '../live/hub.ts'
import { registerJobHandlers } from './job-handlers.ts'
import { openLog } from './log.ts'
import { type LoopDelay, watchLoopDelay } from './loop-delay.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type Documents, openDocuments } from './documents.ts'
import { createIdFactory } from './ids.ts'
import { openDatabase } from './open-database.ts'
import { openTraces } from '../traces/open-traces.ts'
import type { Traces } from '../traces/traces.ts'
import { version } from '../config/version.ts'
import { agentSkillsFolder, shimFile } from '../config/paths.ts'
import { listProjections } from '../projections/files/projection-table.ts'
import { Projector } from '../projections/engine/projector.ts'
import type { Store } from '../store/db/db.ts'
import { lessonWorkers } from '../workers/worker-pool.ts'
import { countOpenBySerial } from '../store/devices/executions.ts'

/** What a test may replace. */
export interface SystemDeps {
  readonly clock?: () => Date
  readonly newId?: () => string
  readonly log?: Logger
  /** A phone that the caller opened and closes. */
  readonly phone?: PhoneInUse | undefined
  /** How executions on devices wait. Default: in real time. */
  readonly engineClock?: DeviceRuntimeParts['engineClock']
  /** Whether to start although the database of the home has lost something. */
  readonly acceptLoss?: boolean
  /** Whether the sweeper and the probes of connectors run on timers. Tests that move the clock switch them off. */
  readonly sweeping?: boolean
  /** Whether files under `<home>/system` are written from the start. Default true. Tests that read none switch it off. */
  readonly projecting?: boolean
}

/** All parts of a running daemon. */
export interface System extends Omit<DeviceRuntime, 'close'>, Omit<OpenLookup, 'closeLookup'>, Skills, Scenes {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Date
  readonly newId: () => string
  readonly store: Store
  readonly traces: Traces | undefined
  readonly commands: CommandBus
  readonly access: Access
  readonly hub: Hub
  /** Writes the files under `<home>/system` from committed state. */
  readonly projector: Projector
  readonly jobs: JobRunner
  readonly miner: Miner
  readonly lessons: Lessons
  readonly sweeper: Sweeper
  readonly metrics: Metrics
  readonly loopDelay: LoopDelay
  readonly deviceChecks: DeviceChecks
  readonly liveScreens: LiveScreens
  /** Uploaded and staged skill bundles. */
  readonly bundles: BundleStorage
  /** Runs the scripts of skills. */
  readonly skillRuns: SkillRunProgram
  /** Signs in to connector servers and uses them. */
  readonly connectors: Connectors
  /** Runs scenes in a browser. */
  readonly sceneRuns: SceneRuns
  /** Stores and reads documents. */
  readonly documents: Documents
  /** Reads the guides for agents that the program ships. */
  readonly readGuides: () => ReturnType<typeof readPackagedGuides>
  /** Receives the address of the daemon, so that programs it starts can call it. */
  listening(address: AddressInfo | string | null): void
  /** Set when the daemon begins to stop. New work is then refused and streams end. */
  stopping: boolean
  stop(): Promise<void>
}

/** Starts all parts. `stop` stops them again. */
export async function startSystem(config: Config, given: SystemDeps = {}): Promise<System> {
  prepareHome(config.home)
  const unlock = lockHome(config.home)
  try {
    return await startParts(config, given, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function startParts(config: Config, given: SystemDeps, unlock: () => void): Promise<System> {
  const system = await openParts(config, given, unlock)
  registerJobHandlers(system)
  await recoverAtStartup(system)
  await system.jobs.start()
  if (given.projecting !== false) system.projector.start()
  if (given.sweeping !== false) {
    system.sweeper.start()
    system.connectors.probes.start()
  }
  return system
}

async function openParts(config: Config, given: SystemDeps, unlock: () => void): Promise<System> {
  const { clock = () => new Date(), newId = createIdFactory(clock), log = openLog(config) } = given
  const { acceptLoss = false } = given
  const { store, close: closeDatabase } = await openDatabase(config, { clock, newId, log, acceptLoss })
  const traces = await openTraces(config.tracesEndpoint, version)
  const deps = { store, clock, newId, log, traces }
  const hub = new Hub(store, config.settings.limits)
  const projector = openProjector(config, deps)
  const jobs = new JobRunner(deps)
  const phone = given.phone ?? (await choosePhone(config, log))
  const { close: closeDevices, ...deviceRuntime } = await openDeviceRuntime(config, {
    jobs,
    deps,
    phone,
    engineClock: given.engineClock,
  })
  const { closeLookup, ...lookup } = openLookup(deps)
  const access = new Access(store, clock, config.token ?? readOrCreateAdminToken(config.home))
  const skillLibrary = openSkills(config, deps)
  const sceneLibrary = await openScenes(config, deps)
  const skillRuns = openScriptRunner(config, access, { ...deviceRuntime, ...skillLibrary })
  const connectors = openConnectorParts(config, deps)
  const system: System = {
    ...deps,
    ...deviceRuntime,
    config,
    commands: new CommandBus(deps),
    access,
    hub,
    projector,
    jobs,
    ...openLearning(deps, deviceRuntime, lookup),
    sweeper: new Sweeper(deps),
    ...openMeasurements(store, hub, projector),
    connectors,
    sceneRuns: openSceneRuns(deps, { home: config.home, vault: connectors.vault, library: sceneLibrary }),
    documents: openDocuments(config, deps),
    deviceChecks: new DeviceChecks({ ...deviceRuntime, clock }),
    liveScreens: new LiveScreens({ ...deviceRuntime, config, clock, log }),
    bundles: new BundleStorage(config.home, resolveBlockedTermsFile(config)),
    ...skillRuns,
    ...lookup,
    ...skillLibrary,
    ...sceneLibrary,
    readGuides: () => readPackagedGuides(agentSkillsFolder),
    stopping: false,
    stop: () => stopParts(system, { closeDevices, closeLookup, closeDatabase, unlock }),
  }
  return system
}

/** What learns from demonstrations and past executions. */
function openLearning(
  deps: RunnerDeps,
  { demonstrations }: Pick<DeviceRuntime, 'demonstrations'>,
  { lookup }: Pick<OpenLookup, 'lookup'>,
): Pick<System, 'lessons' | 'miner'> {
  const lessons = new Lessons((input, options) => lessonWorkers.run('learnRecordedLesson', input, options))
  const findSimilar = createSimilarAbilityFinder(lookup)
  return { lessons, miner: new Miner({ ...deps, evidence: demonstrations, lessons, findSimilar }) }
}

const openConnectorParts = ({ home, settings }: Config, deps: RunnerDeps): Connectors =>
  openConnectors(home, settings.connectors, {
    ...deps,
    version,
    startSpan: (start) => deps.traces?.start(start),
  })

interface Closers {
  closeDevices(): Promise<void>
  closeLookup(): Promise<void>
  closeDatabase(): void
  unlock(): void
}

/** Stops the parts that write first, then those that read, and closes the database last. */
async function stopParts(system: System, closers: Closers): Promise<void> {
  system.stopping = true
  // What could not be stored is settled by the next start.
  system.store.endPatience()
  system.lessons.close()
  await system.sweeper.stop()
  await system.jobs.stop()
  await system.sceneRuns.close()
  await system.connectors.close()
  await closers.closeDevices()
  system.skills.close()
  system.scenes.close()
  await system.scenesStored()
  system.hub.close()
  await system.projector.stop()
  await closers.closeLookup()
  system.loopDelay.close()
  await system.traces?.close()
  closers.closeDatabase()
  closers.unlock()
}

/** Closes or repairs what an earlier daemon did not finish. Unfinished jobs are resumed later, by `jobs.start`. */
async function recoverAtStartup(system: System): Promise<void> {
  const { bundles, config, skillRuns } = system
  await recoverImports(system, { bundles, legacy: new LegacyImports(config) })
  await cancelInterruptedValidation(system)
  await checkInstalledFiles(system, new SkillPlaces(config))
  await endInterruptedSkillRuns(system, skillRuns)
  await system.connectors.recover()
  await system.sceneRuns.recover()
  await system.documents.recover()
  await system.scenes.catalog()
  await system.scenesStored()
}

type ScriptDeps = Pick<SkillRunsDeps, 'deviceReader' | 'skills'>

function openScriptRunner(config: Config, access: Access, { deviceReader, skills }: ScriptDeps) {
  const issueToken = (runId: string, user_id: string) => access.issueScopedToken(toScriptCaller(runId, user_id))
  return openSkillRuns(config, { deviceReader, skills, shim: shimFile, issueToken })
}

/** A skill script may call one route, as the user who started its run. */
const toScriptCaller = (runId: string, user_id: string) => ({
  user_id,
  privilege: 'write' as const,
  key: formatRunCallerKey(runId),
  only: [callFromSkillRun.url],
})

function openProjector({ home, settings }: Config, { store, log }: RunnerDeps): Projector {
  const projections = listProjections({ max_phase: settings.learn.adapters_max_phase })
  return new Projector({ store, home, projections, log })
}

function openMeasurements(store: Store, hub: Hub, projector: Projector): Pick<System, 'metrics' | 'loopDelay'> {
  const loopDelay = watchLoopDelay()
  const metrics = createMetrics({
    loopDelay: () => loopDelay.read(),
    subscribers: () => hub.subscribers,
    projectionsBehind: () => projector.status().behind,
    queueDepths: () => store.read((reader) => countOpenBySerial(reader)),
  })
  return { loopDelay, metrics }
}
