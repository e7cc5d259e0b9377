import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { headerLine } from './document.ts'
import { readYaml, type YamlRead, type YamlRefusal } from './yaml.ts'

export type FieldsRead = { readonly fields: Readonly<Record<string, unknown>> } | YamlRefusal

/** The fields of a header as people write it: with nothing in it, or without the quotes it needs. */
export function readFields(header: string): FieldsRead {
  if (header.trim() === '') return { fields: {} }
  const read = asFields(header)
  if ('fields' in read || read.why !== 'broken') return read
  const mended = asFields(quoted(header))
  return 'fields' in mended ? mended : read
}

function asFields(header: string): FieldsRead {
  const read: YamlRead = readYaml(header, { firstLine: headerLine })
  if ('why' in read) return read
  if (isRecord(read.value)) return { fields: read.value }
  const message = 'A header is fields and values'
  return { why: 'broken', problems: [{ message, line: headerLine }] }
}

/** Many write `description: Use when: …` without quotes, which is no YAML and still clear. */
const quoted = (header: string): string =>
  header
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#].*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? line : `${key}: ${JSON.stringify(value)}`
    })
    .join('\n')
