import type { Config } from '../config.ts'
import type { JobRunner, RunnerEdges } from '../jobs/runner.ts'
import { isReferenced } from '../store/evidence.ts'
import { Demonstrations } from './demonstrations.ts'
import { DeviceEyes } from './device-eyes.ts'
import { DeviceFloor } from './device-floor.ts'
import { ExecutionEvidence } from './execution-evidence.ts'
import type { Stage } from './performance.ts'
import type { PhoneInUse } from './phone-in-use.ts'
import { Recorder } from './recorder.ts'
import { RecordingShelf } from './recording-shelf.ts'
import { Recordings } from './recordings.ts'

export interface Floor extends Stage {
  readonly shelf: RecordingShelf
  readonly demonstrations: Demonstrations
  /** Removes pictures and trees that nothing refers to any more. */
  readonly sweepEvidence: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Everything that has to do with phones, ready to use. */
export async function openFloor(
  config: Config,
  { jobs, edges, phone }: { jobs: JobRunner; edges: RunnerEdges; phone: PhoneInUse },
): Promise<Floor> {
  const floor = await DeviceFloor.open(config, edges, phone)
  const recorder = new Recorder(edges, floor.evidence, (serial, app) => floor.appBuild(serial, app))
  const recordings = new Recordings(edges, floor, recorder)
  await recordings.open()
  return {
    floor,
    eyes: new DeviceEyes(floor, jobs, edges),
    recorder,
    recordings,
    executionEvidence: new ExecutionEvidence(edges, floor.evidence),
    shelf: new RecordingShelf(edges.store, floor.evidence),
    demonstrations: new Demonstrations(edges.store, floor.evidence),
    sweepEvidence: () =>
      floor.evidence.sweep((sha256) => edges.store.read((reader) => isReferenced(reader, sha256))),
    close: async () => {
      await recordings.close()
      await floor.close()
    },
  }
}
