import { OperationFailure, type OperationFailureCode } from '../../devices/adb/operation-failure.ts'
import { TransportFailure, type TransportFailureKind } from '../../devices/adb/transport-failure.ts'

/** An error as it crosses between daemon and host. */
export type PrintedError =
  | {
      readonly type: 'transport'
      readonly kind: TransportFailureKind
      readonly message: string
      readonly commandSent: boolean
    }
  | {
      readonly type: 'operation'
      readonly code: OperationFailureCode
      readonly message: string
      readonly detail?: string | undefined
    }
  | { readonly type: 'other'; readonly message: string; readonly code?: string | undefined }

export function printError(error: unknown): PrintedError {
  if (error instanceof TransportFailure) {
    const { kind, message, commandSent } = error
    return { type: 'transport', kind, message, commandSent }
  }
  if (error instanceof OperationFailure) {
    const { code, message, detail } = error
    return { type: 'operation', code, message, detail }
  }
  const { message, code } = error as { message?: unknown; code?: unknown }
  return { type: 'other', message: String(message), ...(typeof code === 'string' ? { code } : {}) }
}

/** The error again, of the same class, on the other side. */
export function readError(printed: PrintedError, serial?: string): Error {
  switch (printed.type) {
    case 'transport':
      return new TransportFailure(printed.kind, printed.message, { serial, commandSent: printed.commandSent })
    case 'operation':
      return new OperationFailure(printed.code, printed.message, printed.detail)
    case 'other':
      return Object.assign(new Error(printed.message), printed.code === undefined ? {} : { code: printed.code })
  }
}
