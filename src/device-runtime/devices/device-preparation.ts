import type { DevicePreparation, DeviceReport } from '@apprentice/contracts/devices/preparation.ts'
import { HELPER_VERSION } from '../../devices/driver/pinned-helpers.ts'
import { OperationFailure } from '../../devices/adb/operation-failure.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import { toFacts } from '../../devices/driver/facts-view.ts'
import { anonymiseTree } from '../../devices/snapshot-helper/anonymise.ts'
import { measureReadings } from '../../devices/snapshot-helper/measure.ts'
import { prepareDevice, unprepareDevice } from '../../devices/snapshot-helper/preparation.ts'
import { type HelperState, readHelperState } from '../../devices/snapshot-helper/preparation-marks.ts'
import type { SourceState, SourceTimes } from '../../devices/snapshot-helper/source-report.ts'
import { Failure } from '../../failure/failure.ts'
import type { DeviceAccess, DeviceManager, LocalDevice } from './device-manager.ts'
import type { DeviceReader } from './device-reader.ts'

/** Installs and removes the helpers of a device, in its queue. */
export class DevicePreparations {
  readonly #devices: DeviceManager
  readonly #reader: DeviceReader

  constructor(devices: DeviceManager, reader: DeviceReader) {
    this.#devices = devices
    this.#reader = reader
  }

  read(serial: string, access: DeviceAccess): Promise<DevicePreparation> {
    return this.#use(serial, access, async (local, limits) =>
      toPreparation(serial, local, await readHelperState(local.runner, limits)),
    )
  }

  prepare(serial: string, access: DeviceAccess, apks: readonly Buffer[]): Promise<DevicePreparation> {
    return this.#change(serial, access, (local, limits) =>
      prepareDevice({ ...local, helpers: this.#devices.pinnedHelpers }, apks, limits),
    )
  }

  unprepare(serial: string, access: DeviceAccess): Promise<DevicePreparation> {
    return this.#change(serial, access, unprepareDevice)
  }

  report(serial: string, access: DeviceAccess): Promise<DeviceReport> {
    return this.#use(serial, access, async (local, limits) => {
      await local.source.reset()
      const facts = await this.#devices.driver(serial).facts(limits)
      const state = await readHelperState(local.runner, limits)
      const measured = await measureReadings(local.runner, local.device, limits)
      const { model, manufacturer, sdk, android_version, width, height, density_dpi, locale } = toFacts(facts)
      const { serial: _serial, ...common } = toPreparation(serial, local, state)
      return {
        ...common,
        facts: { model, manufacturer, sdk, android_version, width, height, density_dpi, locale },
        simulated: facts.isSimulated,
        dump_ms: [...measured.dumpMs],
        helper_ms: [...measured.helperMs],
        ...(measured.helperStartMs === undefined ? {} : { helper_start_ms: measured.helperStartMs }),
        failures: [...measured.failures],
        tree: anonymiseTree(measured.tree),
      }
    })
  }

  /** The helper must not run while it is replaced, and is tried again afterwards. */
  #change(
    serial: string,
    access: DeviceAccess,
    work: (local: LocalDevice, limits: CallLimits) => Promise<HelperState>,
  ): Promise<DevicePreparation> {
    return this.#use(serial, access, async (local, limits) => {
      await local.source.reset()
      try {
        return toPreparation(serial, local, await work(local, limits))
      } finally {
        await local.source.reset()
      }
    })
  }

  #use<T>(
    serial: string,
    access: DeviceAccess,
    work: (local: LocalDevice, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    return this.#reader.withDriver(serial, access, async (_driver, limits) => {
      const local = this.#devices.localDevice(serial)
      if (local === undefined) {
        throw toFailure(
          'The device belongs to another host; prepare it while it is connected to this machine.',
          'other_host',
        )
      }
      try {
        return await work(local, limits)
      } catch (error) {
        throw error instanceof OperationFailure ? toFailure(error.message, error.code) : error
      }
    })
  }
}

function toFailure(message: string, kind: string): Failure {
  return new Failure('DEVICE_PREPARATION_FAILED', message, { details: { kind } })
}

function toPreparation(serial: string, { source }: LocalDevice, state: HelperState): DevicePreparation {
  const { preparedVersion, installed } = state
  return {
    serial,
    version: HELPER_VERSION,
    ...(preparedVersion === undefined ? {} : { prepared_version: preparedVersion }),
    installed: { ...installed },
    screens: toScreenSource(source.state),
    schema_version: 1,
  }
}

function toScreenSource({ source, helper, dump, failures, lastFailure }: SourceState): DevicePreparation['screens'] {
  return {
    ...(source === undefined ? {} : { source }),
    ...(helper === undefined ? {} : { helper: toTimes(helper) }),
    ...(dump === undefined ? {} : { dump: toTimes(dump) }),
    failures: { ...failures },
    ...(lastFailure === undefined ? {} : { last_failure: lastFailure }),
  }
}

function toTimes({ readings, medianMs, slowestMs }: SourceTimes) {
  return { readings, median_ms: medianMs, slowest_ms: slowestMs }
}
