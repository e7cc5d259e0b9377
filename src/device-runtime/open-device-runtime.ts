import type { Config } from '../config/config.ts'
import type { JobRunner, RunnerDeps } from '../jobs/runner.ts'
import { isReferenced } from '../store/capture/evidence.ts'
import { Demonstrations } from './evidence/demonstrations.ts'
import { DeviceReader } from './devices/device-reader.ts'
import { DeviceManager } from './devices/device-manager.ts'
import { ExecutionEvidence } from './evidence/execution-evidence.ts'
import type { ExecutionRunnerDeps } from './execution-runner.ts'
import type { PhoneInUse } from './devices/phone-in-use.ts'
import { Recorder } from './evidence/proxy-capture.ts'
import { RecordingStorage } from './evidence/recording-storage.ts'
import { Recordings } from './evidence/recordings.ts'

export interface DeviceRuntime extends ExecutionRunnerDeps {
  readonly shelf: RecordingStorage
  readonly demonstrations: Demonstrations
  /** Removes pictures and trees that nothing refers to any more. */
  readonly sweepEvidence: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Everything that has to do with phones, ready to use. */
export async function openDeviceRuntime(
  config: Config,
  { jobs, edges, phone }: { jobs: JobRunner; edges: RunnerDeps; phone: PhoneInUse },
): Promise<DeviceRuntime> {
  const floor = await DeviceManager.open(config, edges, phone)
  const recorder = new Recorder(edges, floor.evidence, (serial, app) => floor.appBuild(serial, app))
  const recordings = new Recordings(edges, floor, recorder)
  await recordings.open()
  return {
    floor,
    eyes: new DeviceReader(floor, jobs, edges),
    recorder,
    recordings,
    executionEvidence: new ExecutionEvidence(edges, floor.evidence),
    shelf: new RecordingStorage(edges.store, floor.evidence),
    demonstrations: new Demonstrations(edges.store, floor.evidence),
    sweepEvidence: () =>
      floor.evidence.sweep((sha256) => edges.store.read((reader) => isReferenced(reader, sha256))),
    close: async () => {
      await recordings.close()
      await floor.close()
    },
  }
}
