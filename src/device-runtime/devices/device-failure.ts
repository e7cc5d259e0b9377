import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { toDeviceFailureCode } from '../../devices/engine/device-failure.ts'
import { OperationFailure } from '../../devices/adb/operation-failure.ts'
import { ScreenUnreadable } from '../../devices/driver/screen-snapshot.ts'
import { TransportFailure } from '../../devices/adb/transport-failure.ts'
import { Failure } from '../../failure/failure.ts'

/** Turns an error of a device into a public failure. Returns any other error unchanged. */
export function toDeviceFailure(error: unknown): unknown {
  if (error instanceof TransportFailure) {
    const { kind, serial, commandSent } = error
    return new Failure(toFailureCode(error), `${serial ?? 'The device'}: ${error.message}`, {
      details: { kind, command_sent: commandSent },
    })
  }
  if (error instanceof ScreenUnreadable) {
    return new Failure('SNAPSHOT_EXTRACTION_FAILED', error.message, {
      details: { kind: error.kind },
    })
  }
  if (error instanceof OperationFailure) {
    return new Failure('SNAPSHOT_EXTRACTION_FAILED', error.message, {
      details: { kind: error.code },
    })
  }
  // The timeout passed while the work waited in the queue.
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new Failure('DEVICE_TIMEOUT', 'The device was busy until the timeout.')
  }
  return error
}

/** Nothing has started yet: a missing device is offline rather than lost, and an abort is our own timeout. */
function toFailureCode(failure: TransportFailure): FailureCode {
  if (failure.kind === 'device_not_found') return 'DEVICE_OFFLINE'
  return failure.kind === 'aborted' ? 'DEVICE_TIMEOUT' : toDeviceFailureCode(failure)
}
