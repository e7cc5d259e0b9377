import type { z } from 'zod'
import { type FileFinding, toFileFindings } from '../text/toml-file.ts'

export type JsonValue = z.core.util.JSONType
/** Arguments of the script, by name. */
export type SceneArgs = Readonly<Record<string, JsonValue>>

/** The time of a dispatch, for periods such as "last month". */
export interface Moment {
  readonly now: Date
  /** An IANA time zone. */
  readonly time_zone: string
}

/** A value that an instruction may mean. */
export interface Candidate {
  /** How the value is named to a person. */
  readonly label: string
  readonly args: SceneArgs
}

export type Resolution =
  | {
      readonly status: 'resolved'
      readonly label: string
      readonly args: SceneArgs
      /** The words of the instruction that gave the value. */
      readonly found: readonly string[]
      /** What else was found and does not count. */
      readonly note?: string
    }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous'; readonly candidates: readonly Candidate[] }

/** An instruction without its suffix. */
export interface InstructionText {
  /** As it was written. */
  readonly raw: string
  /** As it is compared (`foldText`). */
  readonly folded: string
}

/** A resolver with the configuration of one parameter. It gives the same result for the same text and moment. */
export interface PreparedResolver {
  /** The arguments that it sets. */
  readonly arg_names: readonly string[]
  /** What a person may write, at most a few examples. */
  readonly examples: readonly string[]
  resolve(text: InstructionText, moment: Moment): Resolution
}

/** A file of the package that the configuration names. */
export interface NamedFile {
  readonly key: string
  readonly path: string
}

export interface OpenedConfig {
  readonly files: readonly NamedFile[]
  readonly warnings: readonly FileFinding[]
  /** `files` has the texts by their paths. */
  prepare(paramName: string, files: ReadonlyMap<string, string>): PreparedResolver | { readonly problem: FileFinding }
}

/** A type of resolver, named by `resolver` of a parameter. */
export interface ResolverType {
  readonly type: string
  open(config: Readonly<Record<string, unknown>>): OpenedConfig | { readonly problems: readonly FileFinding[] }
}

interface ResolverParts<Config extends z.ZodObject> {
  readonly type: string
  readonly config: Config
  readonly listFiles?: (config: z.output<Config>) => readonly NamedFile[]
  readonly prepare: (
    config: z.output<Config>,
    param: { readonly name: string; readonly files: ReadonlyMap<string, string> },
  ) => PreparedResolver | { readonly problem: FileFinding }
}

/** Defines a type of resolver: the shape of its configuration, the files it needs, and how it resolves. */
export function defineResolver<Config extends z.ZodObject>(parts: ResolverParts<Config>): ResolverType {
  return {
    type: parts.type,
    open(raw) {
      const read = parts.config.safeParse(raw)
      if (!read.success) return { problems: toFileFindings(read.error) }
      const unknown = Object.keys(raw).filter((key) => !(key in parts.config.shape))
      return {
        files: parts.listFiles?.(read.data) ?? [],
        warnings: unknown.map((key) => ({ key, reason: 'is unknown and was ignored' })),
        prepare: (name, files) => parts.prepare(read.data, { name, files }),
      }
    },
  }
}
