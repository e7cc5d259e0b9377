import { StringDecoder } from 'node:string_decoder'
import { withLimits } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { type DeviceAddress, openService } from '../shell/command-stream.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder } from '../shell/shell-v2.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { LineSplitter } from './line-splitter.ts'

/** A running command on a device that prints lines. */
export interface LineStream {
  /** Ends the command. The sink is not called after this. */
  close(): void
}

export interface LineSink {
  line(text: string): void
  /** Called once, if the command ended by itself or the device was lost. */
  end(failure: TransportFailure): void
}

export interface StreamedCommand {
  readonly device: DeviceAddress
  readonly commandLine: string
  /** Whether the device supports shell_v2. Without it, both outputs are merged. */
  readonly shellV2: boolean
}

/** Starts a command. The limits apply to the start, not to the run time. */
export function openLineStream(
  { device, commandLine, shellV2 }: StreamedCommand,
  sink: LineSink,
  limits: CallLimits,
): Promise<LineStream> {
  const subject = { serial: device.serial, what: 'device stream' }
  return withLimits(limits, subject, async (scope) => {
    const service = shellV2 ? `shell,v2,raw:${commandLine}` : `exec:${commandLine} 2>&1`
    const socket = await openService(device, service, scope, 'persistent')
    let isOpen = true
    const close = () => {
      isOpen = false
      socket.destroy()
    }
    const end = (failure: TransportFailure) => {
      if (!isOpen) return
      close()
      sink.end(failure)
    }
    const lines = toLines((line) => isOpen && sink.line(line))
    const push = shellV2 ? toPackets(lines, (code) => end(commandEnded(device.serial, code))) : lines
    socket.listen({
      data: (chunk) => {
        // An adb server delays small pieces unless each one is answered at once.
        if (shellV2) socket.write(EMPTY_PACKET)
        try {
          push(chunk)
        } catch (error) {
          end(error instanceof TransportFailure ? error : streamBroken(device.serial, error))
        }
      },
      end,
    })
    return { close }
  })
}

const EMPTY_PACKET = encodeShellPacket(SHELL_PACKET.stdin)

function toLines(take: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  const splitter = new LineSplitter()
  return (chunk) => {
    for (const line of splitter.push(decoder.write(chunk))) take(line)
  }
}

function toPackets(stdout: (chunk: Buffer) => void, exit: (code: number) => void): (chunk: Buffer) => void {
  const decoder = new ShellV2Decoder({ stdout, stderr: () => {}, exit })
  return (chunk) => decoder.push(chunk)
}

function commandEnded(serial: string, code: number): TransportFailure {
  const message = `the device command ended by itself with exit code ${code}`
  return new TransportFailure('stream_refused', message, { serial, commandSent: true })
}

function streamBroken(serial: string, cause: unknown): TransportFailure {
  const message = 'the device stream could not be read'
  return new TransportFailure('protocol_error', message, { serial, cause, commandSent: true })
}
