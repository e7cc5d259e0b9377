import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import type { PhoneHost } from '../host/host.ts'
import { createToken, parseAdbKey, isSignedBy } from './adbd-auth.ts'
import { AdbdStream } from './adbd-stream.ts'
import type { FaultSwitch } from './faults.ts'
import {
  type Packet,
  PacketDecoder,
  createBrokenPacket,
  computeChecksum,
  encodePacket,
  PACKET_COMMAND,
  VERSION_WITHOUT_CHECKSUM,
} from './packet.ts'
import { ReverseForwards } from './reverse-service.ts'
import { listFeatures, openService } from './service.ts'

/** Settings shared by all connections of one phone. */
export interface AdbdSettings {
  readonly phone: PhoneHost
  readonly faults: FaultSwitch
  readonly version: number
  readonly maxPayload: number
  readonly keys: Keyring
}

/** The keys that may connect. */
export interface Keyring {
  /** False: connections need no key. */
  readonly required: boolean
  readonly known: readonly KeyObject[]
}

const EMPTY = Buffer.alloc(0)
const AUTH_KIND = { token: 1, signature: 2, publicKey: 3 } as const

/** The connection of one adb server: the handshake, then any number of streams over one socket. */
export class AdbdConnection {
  private readonly socket: Socket
  private readonly settings: AdbdSettings
  private readonly decoder = new PacketDecoder()
  private readonly streams = new Map<number, AdbdStream>()
  private readonly stopListening: () => void
  private readonly reverses: ReverseForwards
  private heldBack: Buffer[] = []
  /** Acknowledgements that are sent together with the next packet. */
  private readonly pendingAcks: Buffer[] = []
  private peer: { readonly version: number; readonly maxPayload: number } | undefined
  private token: Buffer = Buffer.alloc(0)
  private online = false
  private lastId = 0
  /** The public key that the peer offered and that is not approved yet. */
  offeredKey: KeyObject | undefined

  constructor(socket: Socket, settings: AdbdSettings) {
    this.socket = socket
    this.settings = settings
    this.reverses = new ReverseForwards(settings.phone.reversed ?? new Map(), (name) => this.dial(name))
    this.stopListening = settings.faults.onChange(() => this.faultsChanged())
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('close', () => this.handleClose())
    this.faultsChanged()
  }

  /** Completes the handshake, independent of authentication. */
  completeHandshake(): void {
    if (this.peer === undefined || this.online) return
    const { phone, faults, version, maxPayload } = this.settings
    const { product, model, device } = phone.banner
    const properties = [
      `ro.product.name=${product}`,
      `ro.product.model=${model}`,
      `ro.product.device=${device}`,
      `features=${listFeatures(phone, faults.current).join(',')}`,
    ]
    this.online = true
    this.offeredKey = undefined
    this.send(PACKET_COMMAND.connect, [version, maxPayload], Buffer.from(`device::${properties.join(';')}`))
  }

  get maxPayload(): number {
    return Math.min(this.settings.maxPayload, this.peer?.maxPayload ?? LEGACY_PAYLOAD_BYTES)
  }

  send(command: number, [arg0, arg1]: readonly [number, number], payload: Buffer = EMPTY): void {
    this.write(encodePacket({ command, arg0, arg1, payload }))
  }

  /** Sends an acknowledgement with the next packet, or alone after two event-loop turns. */
  acknowledge([arg0, arg1]: readonly [number, number]): void {
    const { okay } = PACKET_COMMAND
    this.pendingAcks.push(encodePacket({ command: okay, arg0, arg1, payload: EMPTY }))
    if (this.pendingAcks.length === 1) setImmediate(setImmediate, () => this.write(EMPTY))
  }

  drop(): void {
    this.socket.destroySoon()
  }

  corrupt(): void {
    this.write(createBrokenPacket())
  }

  removeStream(id: number): void {
    this.streams.delete(id)
  }

  private write(bytes: Buffer): void {
    const all = this.pendingAcks.length === 0 ? bytes : Buffer.concat([...this.pendingAcks.splice(0), bytes])
    if (all.length === 0) return
    if (this.settings.faults.current.freeze) this.heldBack.push(all)
    else if (this.socket.writable) this.socket.write(all)
  }

  private faultsChanged(): void {
    const { freeze, unauthorized } = this.settings.faults.current
    if (freeze) {
      this.socket.pause()
      return
    }
    for (const bytes of this.heldBack.splice(0)) this.write(bytes)
    this.socket.resume()
    if (!unauthorized && this.isTrusted()) this.completeHandshake()
  }

  /** True if no key is required or the offered key is known. */
  private isTrusted(): boolean {
    const { offeredKey } = this
    const { required, known } = this.settings.keys
    return !required || (offeredKey !== undefined && known.some((key) => key.equals(offeredKey)))
  }

  private handleClose(): void {
    this.stopListening()
    this.reverses.removeAll()
    for (const stream of this.streams.values()) stream.end()
  }

  private receive(chunk: Buffer): void {
    try {
      for (const packet of this.decoder.push(chunk)) this.handlePacket(packet)
    } catch {
      this.socket.destroy()
    }
  }

  private handlePacket(packet: Packet): void {
    if (packet.command === PACKET_COMMAND.connect) this.handleConnect(packet)
    else if (this.peer === undefined) return
    else if (!this.hasValidChecksum(packet)) this.socket.destroy()
    else if (packet.command === PACKET_COMMAND.auth) this.handleAuth(packet)
    else if (this.online) this.dispatch(packet)
  }

  private hasValidChecksum({ payload, checksum }: Packet): boolean {
    const version = Math.min(this.settings.version, this.peer?.version ?? 0)
    return version >= VERSION_WITHOUT_CHECKSUM || checksum === computeChecksum(payload)
  }

  /** Handles CONNECT. A second one on the same connection closes all streams and starts over. */
  private handleConnect(packet: Packet): void {
    const { faults, keys } = this.settings
    for (const stream of this.streams.values()) stream.end()
    this.online = false
    if (faults.current.muteConnect) return
    this.peer = { version: packet.arg0, maxPayload: Math.max(packet.arg1, 1) }
    if (!this.hasValidChecksum(packet)) this.socket.destroy()
    else if (keys.required || faults.current.unauthorized) this.sendChallenge()
    else this.completeHandshake()
  }

  private sendChallenge(): void {
    this.token = createToken()
    this.send(PACKET_COMMAND.auth, [AUTH_KIND.token, 0], this.token)
  }

  private handleAuth({ arg0, payload }: Packet): void {
    if (this.online) return
    if (arg0 === AUTH_KIND.publicKey) {
      this.offeredKey = parseAdbKey(payload.toString('latin1'))
      return
    }
    if (arg0 !== AUTH_KIND.signature) return
    const { faults, keys } = this.settings
    const isKnown = !faults.current.unauthorized && this.isSignedByKnownKey(payload, keys.known)
    if (isKnown) this.completeHandshake()
    else this.sendChallenge()
  }

  private isSignedByKnownKey(signature: Buffer, known: readonly KeyObject[]): boolean {
    return this.token.length > 0 && known.some((key) => isSignedBy(key, this.token, signature))
  }

  private dispatch({ command, arg0, arg1, payload }: Packet): void {
    if (command === PACKET_COMMAND.open) {
      this.openStream(arg0, payload)
      return
    }
    const stream = arg1 === 0 ? this.findUnacceptedStream(arg0) : this.streams.get(arg1)
    if (stream === undefined) return
    if (command === PACKET_COMMAND.okay) stream.handleOkay(arg0)
    if (command === PACKET_COMMAND.write) stream.handleWrite(payload)
    if (command === PACKET_COMMAND.close) stream.close()
  }

  /** Finds a stream by the peer's id. The peer has no other id until the stream is accepted. */
  private findUnacceptedStream(peerId: number): AdbdStream | undefined {
    return [...this.streams.values()].find((stream) => !stream.accepted && stream.peerId === peerId)
  }

  /** Opens a stream to a service of the peer. Undefined if it refuses. */
  private async dial(name: string): Promise<AdbdStream | undefined> {
    this.lastId += 1
    const stream = new AdbdStream(this, [this.lastId, 0])
    this.streams.set(this.lastId, stream)
    return (await stream.request(name)) ? stream : undefined
  }

  private openStream(peerId: number, payload: Buffer): void {
    this.lastId += 1
    const stream = new AdbdStream(this, [this.lastId, peerId])
    this.streams.set(this.lastId, stream)
    const { phone, faults } = this.settings
    const name = payload.toString().replace(/\0.*$/s, '')
    openService({ name, phone, faults, reverses: this.reverses }, stream).catch(() => this.socket.destroy())
  }
}

/** Payload limit of the protocol before the peer announced its own. */
const LEGACY_PAYLOAD_BYTES = 4096
