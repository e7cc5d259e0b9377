/**
 * The interface between a simulated phone and the adb protocol in wire/. The phone has no code for
 * adb packets, and wire/ has no code for screens.
 */
export interface PhoneHost {
  readonly serial: string
  /** Names in the adb handshake and in `devices -l`. */
  readonly banner: { readonly product: string; readonly model: string; readonly device: string }
  /** The announced adb features, e.g. `shell_v2`, `cmd`, `stat_v2`, `ls_v2`. */
  readonly features: readonly string[]
  /**
   * Runs one command line as `/system/bin/sh -c` would and resolves with its exit code.
   * An empty command is an interactive `sh`: it reads command lines from stdin until stdin ends.
   */
  run(command: string, io: ShellIo): Promise<number>
  readonly files: PhoneFiles
  /** Ports of the phone that `adb reverse` connects to the computer, e.g. `tcp:8081`. */
  readonly reversed?: Map<string, DialHost>
  /** The program that listens on a TCP port of the phone. Undefined if there is none. */
  listener?(port: number): PortListener | undefined
}

/** Serves one connection. The connection is closed when the call ends. */
export type PortListener = (connection: PortConnection) => Promise<void>

export interface PortConnection {
  /** The next bytes, or undefined once the peer has closed. */
  read(): Promise<Buffer | undefined>
  write(chunk: Buffer): Promise<void>
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal
}

/** A connection to a port of the computer, through the adb server. */
export interface HostConnection {
  /** The next bytes, or undefined at the end. */
  read(): Promise<Buffer | undefined>
  write(chunk: Buffer): Promise<void>
  close(): void
}

/** Opens a connection for one `adb reverse`. Undefined: nothing listens on the port of the computer. */
export type DialHost = () => Promise<HostConnection | undefined>

export interface ShellIo {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  readonly stdin: AsyncIterable<Buffer>
  /** A promise while the client has much output to take. A command that writes without end waits for it. */
  drained?(): Promise<void> | undefined
  /** Aborted when the client closed the stream. A running command must then end. */
  readonly signal: AbortSignal
}

export interface FileStat {
  readonly mode: number
  readonly size: number
  /** Seconds since the epoch. */
  readonly mtime: number
}

/** The part of the phone's file system that the sync service uses. */
export interface PhoneFiles {
  stat(path: string): FileStat | undefined
  list(path: string): readonly (FileStat & { readonly name: string })[]
  read(path: string): Buffer | undefined
  write(path: string, data: Buffer, stat: { readonly mode: number; readonly mtime: number }): void
}
