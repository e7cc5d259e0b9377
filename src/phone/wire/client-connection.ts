import type { Socket } from 'node:net'
import { ByteReader } from './chunk-queue.ts'
import { type DeviceRoster, type RosterEntry, deviceList } from './device-roster.ts'
import type { FaultSwitch } from './faults.ts'
import { type HostAnswer, answerHost } from './host-request.ts'
import type { ServiceStream } from './service-stream.ts'
import { openService } from './service.ts'
import { SocketStream } from './socket-stream.ts'

/** One client connection: a request to the server, perhaps the switch to a phone and a service. */
export class ClientConversation {
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
      await this.faults.thawed(this.stream.signal)
      if (text === undefined || text === '') break
      const answer = answerHost(text, this.roster)
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

  /** Undefined when the client closed or does not speak the protocol. */
  private async readRequest(): Promise<string | undefined> {
    const digits = (await this.reader.take(4))?.toString('latin1')
    if (digits === undefined || !/^[0-9a-f]{4}$/i.test(digits)) return undefined
    return (await this.reader.take(Number.parseInt(digits, 16)))?.toString()
  }

  /** What the client sent together with the switch is lost, as it is with adb's own server. */
  private async switchTo(answer: HostAnswer & { kind: 'transport' }): Promise<void> {
    this.entry = answer.entry
    this.reader.discard()
    this.stream.discardUnread()
    const id = Buffer.alloc(answer.tellId ? 8 : 0)
    if (answer.tellId) id.writeBigUInt64LE(BigInt(answer.entry.transportId))
    await this.stream.write(Buffer.concat([okay, id]))
  }

  private async answer(answer: Exclude<HostAnswer, { kind: 'transport' }>): Promise<void> {
    switch (answer.kind) {
      case 'reply':
        return this.stream.write(Buffer.concat([okay, counted(answer.text)]))
      case 'fail':
        return this.fail(answer.text)
      case 'track':
        return this.track(answer.long)
      case 'wait':
        return this.wait(answer)
    }
  }

  private fail(text: string): Promise<void> {
    return this.stream.write(Buffer.concat([Buffer.from('FAIL'), counted(text)]))
  }

  private async track(long: boolean): Promise<void> {
    await this.stream.write(okay)
    let told: string | undefined
    await this.whileChanging(async () => {
      const list = deviceList(this.roster, { long, told: true })
      if (list !== told) await this.stream.write(counted(list))
      told = list
      return false
    })
  }

  private async wait({ selector, target }: HostAnswer & { kind: 'wait' }): Promise<void> {
    await this.stream.write(okay)
    await this.whileChanging(async () => {
      const entry = this.roster.select(selector)
      const online = typeof entry !== 'string' && entry.state === 'device'
      if (online === (target === 'online')) await this.stream.write(okay)
      else if (typeof entry === 'string' && entry.startsWith('more than one'))
        await this.fail(entry)
      else return false
      return true
    })
  }

  /** Looks now and after every change of the roster, until `look` is content or the client left. */
  private async whileChanging(look: () => Promise<boolean>): Promise<void> {
    const { signal } = this.stream
    let wake = () => {}
    const stop = this.roster.onChange(() => wake())
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort)
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      await this.faults.thawed(signal)
      if (await look()) break
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
      accept: () => void stream.write(okay),
      refuse: () => {
        void this.fail('closed')
        stream.close()
      },
      read: () => this.reader.takeAny(),
      write: (chunk) => stream.write(chunk),
      close: () => stream.close(),
      drop: () => entry.lose(),
      corrupt: () => entry.lose(),
      signal: stream.signal,
    }
  }
}

const okay = Buffer.from('OKAY')

function counted(text: string): Buffer {
  const bytes = Buffer.from(text)
  const digits = bytes.length.toString(16).padStart(4, '0')
  return Buffer.concat([Buffer.from(digits), bytes])
}
