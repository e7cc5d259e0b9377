/**
 * What a face (adb server, adbd) needs from a simulated phone. The phone knows nothing of adb packets;
 * the faces know nothing of screens.
 */
export interface PhoneHost {
  readonly serial: string
  /** Banner words of the adb handshake and of `devices -l`. */
  readonly banner: { readonly product: string; readonly model: string; readonly device: string }
  /** adb features announced, e.g. `shell_v2`, `cmd`, `stat_v2`, `ls_v2`. */
  readonly features: readonly string[]
  /**
   * Runs one command line as `/system/bin/sh -c` would and resolves with its exit code.
   * An empty command is an interactive `sh`: it reads command lines from stdin until stdin ends.
   */
  run(command: string, io: ShellIo): Promise<number>
  readonly files: PhoneFiles
}

export interface ShellIo {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  readonly stdin: AsyncIterable<Buffer>
  /** Aborted when the stream is closed by the other side; a running command must end soon after. */
  readonly signal: AbortSignal
}

export interface FileStat {
  readonly mode: number
  readonly size: number
  /** Seconds since the epoch. */
  readonly mtime: number
}

/** The phone's file system as the sync service sees it. */
export interface PhoneFiles {
  stat(path: string): FileStat | undefined
  list(path: string): readonly (FileStat & { readonly name: string })[]
  read(path: string): Buffer | undefined
  write(path: string, data: Buffer, stat: { readonly mode: number; readonly mtime: number }): void
}
