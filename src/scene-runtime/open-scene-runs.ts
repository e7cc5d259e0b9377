import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'
import { findBrowser } from '../browser/find-browser.ts'
import { SceneBrowser } from '../browser/scene-browser.ts'
import { buildProgramEnvironment, readSearchPath } from '../config/config.ts'
import { browserProgramFile } from '../config/paths.ts'
import type { VaultCipher } from '../domain/connectors/registry/vault.ts'
import { Failure } from '../failure/failure.ts'
import { openReportFiles } from '../files/content-files.ts'
import type { JobHandler } from '../jobs/handler.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { isReportReferenced } from '../store/scenes/scene-runs.ts'
import { jobWorkers } from '../workers/worker-pool.ts'
import type { Scenes } from '../skill-runtime/open-scenes.ts'
import { planSceneRun, type WantedRun } from './plan-run.ts'
import { RESULTS_FOLDER, sceneRunJobs } from './scene-run-jobs.ts'

export interface SceneRuns {
  readonly browser: SceneBrowser
  /** Throws if no browser is installed. */
  assertInstalled(): void
  /** Plans a run, or throws a failure that says what is missing. */
  plan(wanted: WantedRun): Promise<ScenePlan>
  readonly runs: JobHandler
  /** Removes the files of reports that no run has any more. */
  readonly reportRemovals: JobHandler
  readReport(sha256: string): Promise<Buffer | undefined>
  /** Removes what a stop of the daemon left. */
  recover(): Promise<void>
  close(): Promise<void>
}

interface SceneRunParts {
  readonly home: string
  readonly vault: VaultCipher
  readonly library: Scenes
}

/** A younger file may belong to a run that is not settled yet. */
const SETTLED_MS = 3_600_000

/** Opens what runs scenes. The browser starts with the first run. */
export function openSceneRuns(deps: RunnerDeps, { home, vault, library }: SceneRunParts): SceneRuns {
  const reports = openReportFiles(home)
  const browser = new SceneBrowser({
    program: browserProgramFile,
    findExecutable: () => findBrowser(readSearchPath()),
    environment: buildProgramEnvironment(['TMPDIR', 'FONTCONFIG_PATH']),
  })
  const exportReport: Parameters<typeof sceneRunJobs>[0]['exportReport'] = (input, signal) =>
    jobWorkers.run('exportReport', input, { signal })
  const isReferenced = (sha256: string): boolean => deps.store.read((reader) => isReportReferenced(reader, sha256))
  const sweepReports = (): Promise<number> => reports.sweep(isReferenced, SETTLED_MS)
  let sweeping: Promise<unknown> = Promise.resolve()
  const findFolder = async (sceneId: string): Promise<string | undefined> => {
    const scene = (await library.scenes.catalog()).find(sceneId)
    return scene === undefined ? undefined : library.scenes.locate(scene)
  }
  return {
    browser,
    assertInstalled: () => {
      if (browser.isInstalled) return
      const message = 'No Chromium is installed. Install the package chromium-headless-shell.'
      throw new Failure('SCENE_BROWSER_MISSING', message)
    },
    plan: (wanted) => planSceneRun(library, wanted),
    runs: sceneRunJobs({ ...deps, home, browser, vault, packages: { findFolder }, exportReport }),
    reportRemovals: {
      resume: 'rerun',
      run: async () => ({ removed: await sweepReports() }),
    },
    readReport: (sha256) => reports.read(sha256),
    recover: async () => {
      const folder = join(home, RESULTS_FOLDER)
      for (const name of await readdir(folder).catch(() => [])) await rm(join(folder, name), { force: true })
      // A kill between the export and the end of a run leaves reports without a run. The start does not wait for this.
      sweeping = sweepReports().catch((error: unknown) => deps.log.error({ err: error }, 'reports were not removed'))
    },
    close: async () => {
      await Promise.all([sweeping, browser.close()])
    },
  }
}
