import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type Floor, openFloor } from './floor/open-floor.ts'
import { openSkills, type Skills } from './floor/open-skills.ts'
import { choosePhone, type PhoneInUse } from './floor/phone-in-use.ts'
import { lockHome } from './home-lock.ts'
import { Access } from './http/access.ts'
import { Desk } from './http/desk.ts'
import { ownToken } from './http/own-token.ts'
import { refreshKind } from './domain/abilities/availability.ts'
import { nightlyKind } from './domain/learn/nightly.ts'
import { executionKind } from './domain/devices/executions.ts'
import { installKind } from './domain/install/saga-record.ts'
import { installPrivately } from './domain/validation/install-privately.ts'
import { validationKind } from './domain/validation/start-run.ts'
import { ownKey } from './files/own-key.ts'
import { SkillPlaces } from './files/skill-places.ts'
import { performWith } from './floor/performance.ts'
import { availabilityRefresh } from './jobs/availability-refresh.ts'
import { deviceExecutions } from './jobs/device-executions.ts'
import { openLookup, type OpenLookup } from './jobs/lookup-warming.ts'
import { installSagas } from './jobs/install-sagas.ts'
import { checkInstalledFiles } from './jobs/installed-files.ts'
import { nightlyLearning } from './jobs/nightly-learning.ts'
import { JobRunner, type RunnerEdges } from './jobs/runner.ts'
import { Sweeper } from './jobs/sweeper.ts'
import { closeLeftValidation, validationRuns } from './jobs/validation-runs.ts'
import { Hub } from './live/hub.ts'
import { openLog } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { migrationsFolder } from './paths.ts'
import { mirrorTable } from './projections/mirror-table.ts'
import { Projector } from './projections/projector.ts'
import { Store } from './store/db.ts'
import { countOpenBySerial } from './store/executions.ts'
import { migrate } from './store/migrate.ts'

/** What a test may replace: the edges, never the parts between. */
export interface Edges {
  readonly clock?: () => Date
  readonly newId?: () => string
  readonly log?: Logger
  /** A phone somebody else brought; it is theirs to close. */
  readonly phone?: PhoneInUse | undefined
  /** Whether the daemon looks by itself at what time has changed; a test that owns the clock says no. */
  readonly sweeping?: boolean
}

/** Everything the daemon owns. */
export interface System extends Omit<Floor, 'close'>, Omit<OpenLookup, 'closeLookup'>, Skills {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Date
  readonly newId: () => string
  readonly store: Store
  readonly desk: Desk
  readonly access: Access
  readonly hub: Hub
  /** Keeps the files under `<home>/system` up to what is committed. */
  readonly projector: Projector
  readonly jobs: JobRunner
  readonly sweeper: Sweeper
  readonly metrics: Metrics
  /** Set when the daemon begins to stop: new work is refused, streams end. */
  stopping: boolean
  stop(): Promise<void>
}

/** Starts the parts in order; `stop` ends them in reverse. */
export async function startSystem(config: Config, edges: Edges = {}): Promise<System> {
  mkdirSync(config.home, { recursive: true, mode: 0o700 })
  const unlock = lockHome(config.home)
  try {
    return await startParts(config, edges, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function startParts(config: Config, given: Edges, unlock: () => void): Promise<System> {
  const { clock = () => new Date(), newId = randomUUID, log = openLog(config) } = given
  const store = Store.open(join(config.home, 'apprentice.db'), config.sync)
  migrate(store.schema, migrationsFolder)
  const edges = { store, clock, newId, log }
  const hub = new Hub(store, config.settings.limits)
  const projector = openProjector(config, edges)
  const jobs = new JobRunner(edges)
  const sweeper = new Sweeper(edges)
  const phone = given.phone ?? (await choosePhone(config, log))
  const { close: closeFloor, ...floor } = await openFloor(config, { jobs, edges, phone })
  const metrics = watch(store, hub, projector)
  handleJobs(jobs, edges, { ...floor, metrics, home: config.home })
  const { closeLookup, ...lookup } = openLookup(edges)
  const library = openSkills(config, edges)
  const system: System = {
    ...edges,
    ...floor,
    config,
    desk: new Desk(store, clock, newId),
    access: new Access(store, clock, config.token ?? ownToken(config.home)),
    hub,
    projector,
    jobs,
    sweeper,
    metrics,
    ...lookup,
    ...library,
    stopping: false,
    stop: async () => {
      system.stopping = true
      await sweeper.stop()
      await jobs.stop()
      await closeFloor()
      library.skills.close()
      hub.close()
      await projector.stop()
      await closeLookup()
      store.close()
      unlock()
    },
  }
  await takeUpLeftWork(system)
  projector.start()
  if (given.sweeping !== false) sweeper.start()
  return system
}

/** Closes, checks or goes on with what an earlier daemon left behind. */
async function takeUpLeftWork(system: System): Promise<void> {
  const places = new SkillPlaces(system.config)
  system.jobs.handle(installKind, installSagas(system, places))
  await closeLeftValidation(system)
  await checkInstalledFiles(system, places)
  await system.jobs.start()
}

function openProjector({ home, settings }: Config, { store, log }: RunnerEdges): Projector {
  const mirrors = mirrorTable({ max_phase: settings.learn.adapters_max_phase })
  return new Projector({ store, home, mirrors, log })
}

function watch(store: Store, hub: Hub, projector: Projector): Metrics {
  return createMetrics({
    subscribers: () => hub.subscribers,
    mirrorsBehind: () => projector.status().behind,
    laneDepths: () => store.read((reader) => countOpenBySerial(reader)),
  })
}

type Staff = Pick<Floor, 'floor' | 'eyes' | 'recorder' | 'recordings' | 'sweepEvidence'> & {
  metrics: Metrics
  home: string
}

function handleJobs(jobs: JobRunner, edges: RunnerEdges, staff: Staff): void {
  const tidying = nightlyLearning(edges)
  jobs.handle(nightlyKind, {
    ...tidying,
    run: async (job, signal) => {
      const done = await tidying.run(job, signal)
      return { ...(done as object), removed_evidence_files: await staff.sweepEvidence() }
    },
  })
  jobs.handle(refreshKind, availabilityRefresh(edges))
  const outputKey = () => ownKey(staff.home, 'outputs.key')
  const waited = (seconds: number) => staff.metrics.executionWait.observe(seconds)
  const perform = performWith(edges, staff)
  jobs.handle(executionKind, deviceExecutions(edges, perform, { waited, outputKey }))
  jobs.handle(validationKind, validationRuns(edges, { jobs, install: installPrivately }))
}
