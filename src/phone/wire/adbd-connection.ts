import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import type { PhoneHost } from '../host/host.ts'
import { newToken, parseAdbKey, signedBy } from './adbd-auth.ts'
import { AdbdStream } from './adbd-stream.ts'
import type { FaultSwitch } from './faults.ts'
import {
  type Packet,
  PacketDecoder,
  brokenPacket,
  checksumOf,
  encodePacket,
  packetCommand,
  versionWithoutChecksum,
} from './packet.ts'
import { announcedFeatures, openService } from './service.ts'

/** What all connections of one phone share. */
export interface AdbdSetting {
  readonly phone: PhoneHost
  readonly faults: FaultSwitch
  readonly version: number
  readonly maxPayload: number
  readonly keys: Keyring
}

/** Who may connect. */
export interface Keyring {
  /** False lets everybody in. */
  readonly required: boolean
  readonly known: readonly KeyObject[]
}

const nothing = Buffer.alloc(0)
const authKind = { token: 1, signature: 2, publicKey: 3 } as const

/** One adb server talking to the phone: the handshake, then many streams over one socket. */
export class AdbdConnection {
  private readonly socket: Socket
  private readonly setting: AdbdSetting
  private readonly decoder = new PacketDecoder()
  private readonly streams = new Map<number, AdbdStream>()
  private readonly stopListening: () => void
  private held: Buffer[] = []
  /** Acknowledgements that wait for company. */
  private readonly unsaid: Buffer[] = []
  private peer: { readonly version: number; readonly maxPayload: number } | undefined
  private token: Buffer = Buffer.alloc(0)
  private online = false
  private lastId = 0
  /** The key the other side offered and nobody has approved yet. */
  offered: KeyObject | undefined

  constructor(socket: Socket, setting: AdbdSetting) {
    this.socket = socket
    this.setting = setting
    this.stopListening = setting.faults.onChange(() => this.faultsChanged())
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('close', () => this.lost())
    this.faultsChanged()
  }

  /** Lets the other side in, whatever it could prove. */
  welcome(): void {
    if (this.peer === undefined || this.online) return
    const { phone, faults, version, maxPayload } = this.setting
    const { product, model, device } = phone.banner
    const properties = [
      `ro.product.name=${product}`,
      `ro.product.model=${model}`,
      `ro.product.device=${device}`,
      `features=${announcedFeatures(phone, faults.current).join(',')}`,
    ]
    this.online = true
    this.offered = undefined
    this.send(
      packetCommand.connect,
      [version, maxPayload],
      Buffer.from(`device::${properties.join(';')}`),
    )
  }

  get maxPayload(): number {
    return Math.min(this.setting.maxPayload, this.peer?.maxPayload ?? legacyPayloadBytes)
  }

  send(command: number, [arg0, arg1]: readonly [number, number], payload: Buffer = nothing): void {
    this.put(encodePacket({ command, arg0, arg1, payload }))
  }

  /** Leaves together with what is sent next, or alone once a quick command would have answered. */
  acknowledge([arg0, arg1]: readonly [number, number]): void {
    const { okay } = packetCommand
    this.unsaid.push(encodePacket({ command: okay, arg0, arg1, payload: nothing }))
    if (this.unsaid.length === 1) setImmediate(setImmediate, () => this.put(nothing))
  }

  drop(): void {
    this.socket.destroySoon()
  }

  corrupt(): void {
    this.put(brokenPacket())
  }

  forget(id: number): void {
    this.streams.delete(id)
  }

  private put(bytes: Buffer): void {
    const all = this.unsaid.length === 0 ? bytes : Buffer.concat([...this.unsaid.splice(0), bytes])
    if (all.length === 0) return
    if (this.setting.faults.current.freeze) this.held.push(all)
    else if (this.socket.writable) this.socket.write(all)
  }

  private faultsChanged(): void {
    const { freeze, unauthorized } = this.setting.faults.current
    if (freeze) {
      this.socket.pause()
      return
    }
    for (const bytes of this.held.splice(0)) this.put(bytes)
    this.socket.resume()
    if (!unauthorized && this.trusted()) this.welcome()
  }

  /** True when the other side needs no further approval; it offers its key when all else failed. */
  private trusted(): boolean {
    const { offered } = this
    const { required, known } = this.setting.keys
    return !required || (offered !== undefined && known.some((key) => key.equals(offered)))
  }

  private lost(): void {
    this.stopListening()
    for (const stream of this.streams.values()) stream.over()
  }

  private receive(chunk: Buffer): void {
    try {
      for (const packet of this.decoder.push(chunk)) this.handle(packet)
    } catch {
      this.socket.destroy()
    }
  }

  private handle(packet: Packet): void {
    if (packet.command === packetCommand.connect) this.greet(packet)
    else if (this.peer === undefined) return
    else if (!this.intact(packet)) this.socket.destroy()
    else if (packet.command === packetCommand.auth) this.authorize(packet)
    else if (this.online) this.carry(packet)
  }

  private intact({ payload, checksum }: Packet): boolean {
    const version = Math.min(this.setting.version, this.peer?.version ?? 0)
    return version >= versionWithoutChecksum || checksum === checksumOf(payload)
  }

  /** A second greeting on the same connection starts over, as after a restart of the server. */
  private greet(packet: Packet): void {
    const { faults, keys } = this.setting
    for (const stream of this.streams.values()) stream.over()
    this.online = false
    if (faults.current.muteConnect) return
    this.peer = { version: packet.arg0, maxPayload: Math.max(packet.arg1, 1) }
    if (!this.intact(packet)) this.socket.destroy()
    else if (keys.required || faults.current.unauthorized) this.challenge()
    else this.welcome()
  }

  private challenge(): void {
    this.token = newToken()
    this.send(packetCommand.auth, [authKind.token, 0], this.token)
  }

  private authorize({ arg0, payload }: Packet): void {
    if (this.online) return
    if (arg0 === authKind.publicKey) {
      this.offered = parseAdbKey(payload.toString('latin1'))
      return
    }
    if (arg0 !== authKind.signature) return
    const { faults, keys } = this.setting
    const welcome = !faults.current.unauthorized && this.signedByKnown(payload, keys.known)
    if (welcome) this.welcome()
    else this.challenge()
  }

  private signedByKnown(signature: Buffer, known: readonly KeyObject[]): boolean {
    return this.token.length > 0 && known.some((key) => signedBy(key, this.token, signature))
  }

  private carry({ command, arg0, arg1, payload }: Packet): void {
    if (command === packetCommand.open) {
      this.open(arg0, payload)
      return
    }
    const stream = arg1 === 0 ? this.unanswered(arg0) : this.streams.get(arg1)
    if (stream === undefined) return
    if (command === packetCommand.okay) stream.okayed()
    if (command === packetCommand.write) stream.received(payload)
    if (command === packetCommand.close) stream.close()
  }

  /** A client that left before its request was answered knows no id of ours. */
  private unanswered(peerId: number): AdbdStream | undefined {
    return [...this.streams.values()].find((stream) => !stream.accepted && stream.peerId === peerId)
  }

  private open(peerId: number, payload: Buffer): void {
    this.lastId += 1
    const stream = new AdbdStream(this, [this.lastId, peerId])
    this.streams.set(this.lastId, stream)
    const { phone, faults } = this.setting
    const name = payload.toString().replace(/\0.*$/s, '')
    openService({ name, phone, faults }, stream).catch(() => this.socket.destroy())
  }
}

/** What is certain to fit before the other side has said more. */
const legacyPayloadBytes = 4096
