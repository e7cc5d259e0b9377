import type { Socket } from 'node:net'
import { ByteReader } from './chunk-queue.ts'
import { type DeviceRoster, type RosterEntry, formatDeviceList } from './device-roster.ts'
import type { FaultSwitch } from './faults.ts'
import { type HostAnswer, answerHostRequest } from './host-request.ts'
import type { ServiceStream } from './service-stream.ts'
import { openService } from './service.ts'
import { SocketStream } from './socket-stream.ts'

/** One connection of an adb client: requests to the server, then at most one service of a phone. */
export class ClientConnection {
  private readonly stream: SocketStream
  private readonly reader: ByteReader
  private readonly roster: DeviceRoster
  private readonly faults: FaultSwitch
  private entry: RosterEntry | undefined

  constructor(socket: Socket, roster: DeviceRoster, faults: FaultSwitch) {
    this.stream = new SocketStream(socket)
    this.reader = new ByteReader(() => this.stream.read())
    this.roster = roster
    this.faults = faults
  }

  async run(): Promise<void> {
    for (;;) {
      const text = await this.readRequest()
      await this.faults.waitUntilThawed(this.stream.signal)
      if (text === undefined || text === '') break
      const answer = answerHostRequest(text, this.roster)
      if (answer === undefined) {
        await this.serve(text)
        return
      }
      if (answer.kind !== 'transport') {
        await this.answer(answer)
        break
      }
      await this.switchTo(answer)
    }
    this.stream.close()
  }

  /** Undefined when the client closed the connection or sent invalid bytes. */
  private async readRequest(): Promise<string | undefined> {
    const digits = (await this.reader.take(4))?.toString('latin1')
    if (digits === undefined || !/^[0-9a-f]{4}$/i.test(digits)) return undefined
    return (await this.reader.take(Number.parseInt(digits, 16)))?.toString()
  }

  /** Switches to a phone. Bytes sent together with the request are dropped, as the real server does. */
  private async switchTo(answer: HostAnswer & { kind: 'transport' }): Promise<void> {
    this.entry = answer.entry
    this.reader.discard()
    this.stream.discardUnread()
    const id = Buffer.alloc(answer.sendId ? 8 : 0)
    if (answer.sendId) id.writeBigUInt64LE(BigInt(answer.entry.transportId))
    await this.stream.write(Buffer.concat([OKAY, id]))
  }

  private async answer(answer: Exclude<HostAnswer, { kind: 'transport' }>): Promise<void> {
    switch (answer.kind) {
      case 'reply':
        return this.stream.write(Buffer.concat([OKAY, encodeCounted(answer.text)]))
      case 'fail':
        return this.fail(answer.text)
      case 'track':
        return this.track(answer.long)
      case 'wait':
        return this.wait(answer)
    }
  }

  private fail(text: string): Promise<void> {
    return this.stream.write(Buffer.concat([Buffer.from('FAIL'), encodeCounted(text)]))
  }

  private async track(long: boolean): Promise<void> {
    await this.stream.write(OKAY)
    let lastList: string | undefined
    await this.repeatOnChange(async () => {
      const list = formatDeviceList(this.roster, { long, announced: true })
      if (list !== lastList) await this.stream.write(encodeCounted(list))
      lastList = list
      return false
    })
  }

  private async wait({ selector, target }: HostAnswer & { kind: 'wait' }): Promise<void> {
    await this.stream.write(OKAY)
    await this.repeatOnChange(async () => {
      const entry = this.roster.select(selector)
      const online = typeof entry !== 'string' && entry.state === 'device'
      if (online === (target === 'online')) await this.stream.write(OKAY)
      else if (typeof entry === 'string' && entry.startsWith('more than one')) await this.fail(entry)
      else return false
      return true
    })
  }

  /** Calls `check` now and after every change of the roster, until it returns true or the client left. */
  private async repeatOnChange(check: () => Promise<boolean>): Promise<void> {
    const { signal } = this.stream
    let wake = () => {}
    const stop = this.roster.onChange(() => wake())
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort)
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      await this.faults.waitUntilThawed(signal)
      if (await check()) break
      await changed
    }
    stop()
    signal.removeEventListener('abort', onAbort)
  }

  private async serve(name: string): Promise<void> {
    const { entry } = this
    if (entry === undefined || entry.state !== 'device') {
      const why = entry === undefined ? 'no transport' : 'transport offline'
      await this.fail(`device offline (${why})`)
      this.stream.close()
      return
    }
    const stream = this.serviceStream(entry)
    entry.streams.add(stream)
    stream.signal.addEventListener('abort', () => entry.streams.delete(stream))
    await openService({ name, phone: entry.phone, faults: entry.faults }, stream)
  }

  private serviceStream(entry: RosterEntry): ServiceStream {
    const { stream } = this
    return {
      accept: () => void stream.write(OKAY),
      refuse: () => {
        void this.fail('closed')
        stream.close()
      },
      read: () => this.reader.takeAny(),
      write: (chunk) => stream.write(chunk),
      close: () => stream.close(),
      drop: () => entry.closeStreams(),
      corrupt: () => entry.closeStreams(),
      signal: stream.signal,
    }
  }
}

const OKAY = Buffer.from('OKAY')

function encodeCounted(text: string): Buffer {
  const bytes = Buffer.from(text)
  const digits = bytes.length.toString(16).padStart(4, '0')
  return Buffer.concat([Buffer.from(digits), bytes])
}
