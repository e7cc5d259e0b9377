import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { deviceTroubleCode } from '../../devices/engine/device-trouble.ts'
import { OperationFailure } from '../../devices/adb/operation-failure.ts'
import { ScreenUnreadable } from '../../devices/driver/screen-reading.ts'
import { TransportFailure } from '../../devices/adb/transport-failure.ts'
import { Failure } from '../../failure/failure.ts'

/** What went wrong with a device, as a client is told it. Anything else passes through. */
export function asDeviceFailure(error: unknown): unknown {
  if (error instanceof TransportFailure) {
    const { kind, serial, commandSent } = error
    return new Failure(codeOf(error), `${serial ?? 'The device'}: ${error.message}`, {
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
  // A look that waited for its turn until its time was up.
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new Failure('DEVICE_TIMEOUT', 'The device was busy for all of the time given.')
  }
  return error
}

/** Before anything was begun, a device that is not there is merely away; and it was our own time that ran out. */
function codeOf(failure: TransportFailure): FailureCode {
  if (failure.kind === 'device_not_found') return 'DEVICE_OFFLINE'
  return failure.kind === 'aborted' ? 'DEVICE_TIMEOUT' : deviceTroubleCode(failure)
}
