import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { AdbSocket } from '../../../src/devices/adb/adb-socket.ts'
import { runShellV2 } from '../../../src/devices/shell/command-stream.ts'
import { PersistentShell } from '../../../src/devices/shell/persistent-shell.ts'
import { encodeShellPacket, SHELL_PACKET } from '../../../src/devices/shell/shell-v2.ts'
import { eventually, SOON } from './outcomes.ts'

/** Counts the messages of the driver, because each costs a round trip of the server. */

const EMPTY_STDIN = encodeShellPacket(SHELL_PACKET.stdin).toString('hex')
const CLOSE_STDIN = encodeShellPacket(SHELL_PACKET.closeStdin).toString('hex')

test('a command answered in one chunk by the persistent shell costs one message', async () => {
  const { device, heard } = await startServer((socket, nonce) => {
    socket.write(
      Buffer.concat([toStdoutPacket('out\n'), toStdoutPacket(`${nonce}:3\n`), toStderrPacket(`${nonce}:0\n`)]),
    )
  })
  const shell = await openShell(device)
  const result = await shell.run('echo out', SOON)
  expect(result).toMatchObject({ exitCode: 3 })
  expect(result.stdout.toString()).toBe('out\n')
  await shell.run('echo out', SOON)
  expect(heard()).toEqual([expect.stringContaining('echo out'), expect.stringContaining('echo out')])
})

test('each chunk except the last is acknowledged', async () => {
  const { device, heard } = await startServer(async (socket, nonce) => {
    const pieces = [toStdoutPacket('a'), toStdoutPacket(`b${nonce}:0\n`), toStderrPacket(`${nonce}:0\n`)]
    for (const [at, piece] of pieces.entries()) {
      await eventually(
        () => heard().length,
        (count) => count === 1 + at,
      )
      socket.write(piece)
    }
  })
  const shell = await openShell(device)
  expect((await shell.run('echo ab', SOON)).stdout.toString()).toBe('ab')
  expect(heard()).toEqual([expect.stringContaining('echo ab'), EMPTY_STDIN, EMPTY_STDIN])
})

test('a quick command gets no close-stdin packet', async () => {
  const { device, heard, connections } = await startServer((socket) => {
    socket.write(Buffer.concat([toStdoutPacket('out\n'), toExitPacket(4)]))
  })
  const result = await runShellV2(device, 'echo out', SOON)
  expect(result).toMatchObject({ exitCode: 4 })
  expect(result.stdout.toString()).toBe('out\n')
  await eventually(connections, (open) => open === 0)
  expect(heard()).toEqual([])
})

test('a longer command gets one close-stdin packet', async () => {
  const { device, heard } = await startServer(async (socket) => {
    socket.write(toStdoutPacket('out\n'))
    await eventually(
      () => heard().length,
      (count) => count > 0,
    )
    socket.write(toExitPacket(0))
  })
  expect((await runShellV2(device, 'cat', SOON)).exitCode).toBe(0)
  expect(heard()).toEqual([CLOSE_STDIN])
})

test('destroy does not call the listener', async () => {
  const { device } = await startServer(() => {})
  const socket = AdbSocket.open(device.server, device.serial)
  await socket.selectDevice()
  await socket.request('shell,v2,raw:')
  const ends: string[] = []
  socket.listen({ data: () => {}, end: ({ kind }) => ends.push(kind) })
  socket.destroy()
  await sleep(30)
  expect(ends).toEqual([])
})

test('a pending read rejects after destroy', async () => {
  const { device } = await startServer(() => {})
  const socket = AdbSocket.open(device.server, device.serial)
  await socket.selectDevice()
  const waiting = socket.read(4)
  socket.destroy()
  await expect(waiting).rejects.toMatchObject({ kind: 'device_lost', serial: 'phone-1' })
})

type Device = Parameters<typeof runShellV2>[0]

interface StandIn {
  readonly device: Device
  /** The packets after the service was opened: the text of command lines, the bytes of others. */
  readonly heard: () => readonly string[]
  readonly connections: () => number
}

/** A server that accepts every request and answers each command with the given packets. */
async function startServer(answer: (socket: Socket, nonce: string) => void | Promise<void>): Promise<StandIn> {
  const packets: string[] = []
  let open = 0
  const server = createServer((socket) => {
    open += 1
    let accepted = 0
    socket.setNoDelay(true)
    socket.on('close', () => (open -= 1))
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      if (accepted < 2) {
        accepted += 1
        socket.write('OKAY')
        if (accepted === 2 && !text.endsWith('raw:')) void answer(socket, '')
        return
      }
      const nonce = /echo (\S+):\$\?/.exec(text)?.[1]
      packets.push(nonce === undefined ? chunk.toString('hex') : text)
      if (nonce !== undefined) void answer(socket, nonce)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const device = { server: { host: '127.0.0.1', port }, serial: 'phone-1' }
  return { device, heard: () => packets, connections: () => open }
}

async function openShell(device: Device): Promise<PersistentShell> {
  const shell = await PersistentShell.open(device, SOON, { lost: () => {}, abandoned: () => {} })
  onTestFinished(() => shell.close('aborted'))
  return shell
}

const toStdoutPacket = (text: string) => encodeShellPacket(SHELL_PACKET.stdout, Buffer.from(text))
const toStderrPacket = (text: string) => encodeShellPacket(SHELL_PACKET.stderr, Buffer.from(text))
const toExitPacket = (code: number) => encodeShellPacket(SHELL_PACKET.exit, Buffer.of(code))
