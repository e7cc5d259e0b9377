import { StringDecoder } from 'node:string_decoder'
import { within } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { type DeviceAddress, openService } from '../shell/command-stream.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder } from '../shell/shell-v2.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { LineSplitter } from './line-splitter.ts'

/** A command that prints until it is closed. */
export interface LineStream {
  /** Ends the command; nothing is reported after this. */
  close(): void
}

export interface LineSink {
  line(text: string): void
  /** Comes once: the command ended by itself, or the device was lost. */
  end(failure: TransportFailure): void
}

export interface StreamedCommand {
  readonly device: DeviceAddress
  readonly commandLine: string
  /** Whether the device speaks shell_v2; without it both outputs arrive as one. */
  readonly shellV2: boolean
}

/** Starts a command. The limits hold for starting it, not for how long it runs. */
export function openLineStream(
  { device, commandLine, shellV2 }: StreamedCommand,
  sink: LineSink,
  limits: CallLimits,
): Promise<LineStream> {
  const subject = { serial: device.serial, what: 'device stream' }
  return within(limits, subject, async (scope) => {
    const service = shellV2 ? `shell,v2,raw:${commandLine}` : `exec:${commandLine} 2>&1`
    const socket = await openService(device, service, scope, 'kept')
    let open = true
    const close = () => {
      open = false
      socket.destroy()
    }
    const end = (failure: TransportFailure) => {
      if (!open) return
      close()
      sink.end(failure)
    }
    const lines = textLines((line) => open && sink.line(line))
    const push = shellV2 ? packets(lines, (code) => end(ended(device.serial, code))) : lines
    socket.listen({
      data: (chunk) => {
        // Small pieces travel slowly through an adb server unless each is answered at once.
        if (shellV2) socket.write(NOTHING)
        try {
          push(chunk)
        } catch (error) {
          end(error instanceof TransportFailure ? error : broken(device.serial, error))
        }
      },
      end,
    })
    return { close }
  })
}

const NOTHING = encodeShellPacket(SHELL_PACKET.stdin)

function textLines(take: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  const splitter = new LineSplitter()
  return (chunk) => {
    for (const line of splitter.push(decoder.write(chunk))) take(line)
  }
}

function packets(
  stdout: (chunk: Buffer) => void,
  exit: (code: number) => void,
): (chunk: Buffer) => void {
  const decoder = new ShellV2Decoder({ stdout, stderr: () => {}, exit })
  return (chunk) => decoder.push(chunk)
}

function ended(serial: string, code: number): TransportFailure {
  const message = `the device command ended by itself with exit code ${code}`
  return new TransportFailure('stream_refused', message, { serial, commandSent: true })
}

function broken(serial: string, cause: unknown): TransportFailure {
  const message = 'the device stream could not be read'
  return new TransportFailure('protocol_error', message, { serial, cause, commandSent: true })
}
