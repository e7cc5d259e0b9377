import type { Config } from '../config/config.ts'
import type { EngineClock } from '../devices/engine/engine-host.ts'
import { type ContentFiles, openEvidenceFiles } from '../files/content-files.ts'
import type { JobRunner, RunnerDeps } from '../jobs/runner.ts'
import { isEvidenceReferenced } from '../store/capture/evidence.ts'
import { Demonstrations } from './evidence/demonstrations.ts'
import { DevicePreparations } from './devices/device-preparation.ts'
import { DeviceReader } from './devices/device-reader.ts'
import { DeviceManager } from './devices/device-manager.ts'
import { ExecutionEvidence } from './evidence/execution-evidence.ts'
import type { ExecutionRunnerDeps } from './execution-runner.ts'
import type { PhoneInUse } from './devices/phone-in-use.ts'
import { CaptureRecorder } from './evidence/capture-recorder.ts'
import { RecordingStorage } from './evidence/recording-storage.ts'
import { Recordings } from './evidence/recordings.ts'
import { SettledLooks } from './evidence/settled-looks.ts'

export interface DeviceRuntime extends ExecutionRunnerDeps {
  readonly preparations: DevicePreparations
  readonly evidenceFiles: ContentFiles
  readonly recordingStorage: RecordingStorage
  readonly demonstrations: Demonstrations
  /** Removes files that no evidence row refers to. Returns their number. */
  readonly sweepEvidence: () => Promise<number>
  readonly close: () => Promise<void>
}

export interface DeviceRuntimeParts {
  readonly jobs: JobRunner
  readonly deps: RunnerDeps
  readonly phone: PhoneInUse
  readonly engineClock?: EngineClock | undefined
}

/** Builds the device runtime and starts to watch which devices are connected. */
export async function openDeviceRuntime(
  config: Config,
  { jobs, deps, phone, engineClock }: DeviceRuntimeParts,
): Promise<DeviceRuntime> {
  const { store } = deps
  const evidenceFiles = openEvidenceFiles(config.home)
  const devices = await DeviceManager.open(config, { ...deps, jobs, phone })
  const recorder = new CaptureRecorder(deps, evidenceFiles, (serial, app) => devices.appBuild(serial, app))
  const recordings = new Recordings(deps, devices, recorder)
  const settledLooks = new SettledLooks({ ...deps, devices, recorder, engineClock })
  await recordings.open()
  const deviceReader = new DeviceReader({ ...deps, devices, evidenceFiles })
  return {
    devices,
    deviceReader,
    preparations: new DevicePreparations(devices, deviceReader),
    evidenceFiles,
    recorder,
    recordings,
    settledLooks,
    engineClock,
    executionEvidence: new ExecutionEvidence(deps, evidenceFiles),
    recordingStorage: new RecordingStorage(store, evidenceFiles),
    demonstrations: new Demonstrations(store, evidenceFiles),
    sweepEvidence: () => evidenceFiles.sweep((sha256) => store.read((reader) => isEvidenceReferenced(reader, sha256))),
    close: async () => {
      settledLooks.close()
      await recordings.close()
      await devices.close()
    },
  }
}
