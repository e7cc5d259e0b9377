import { Buffer } from 'node:buffer'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { buildBundle, buildSkillDocument, buildZip, type ZipEntrySpec } from './zip-builder.ts'
import { openStorage, listCodes, scanArchive } from './scan-kit.ts'

const { storage } = openStorage()
const skill = { name: 'SKILL.md', content: buildSkillDocument() }
const scanEntries = async (entries: readonly ZipEntrySpec[], options?: Parameters<typeof buildZip>[1]) =>
  scanArchive(storage, buildZip(entries, options))

test('a bundle in a single top-level folder is read like one at the top level', async () => {
  const inFolder = buildBundle().map((entry) => ({ ...entry, name: `tidy-notes/${entry.name}` }))
  const outcome = await scanEntries([{ name: 'tidy-notes/' }, ...inFolder])
  expect(outcome.report.compatible).toBe(true)
  expect(outcome.report.bundle_summary?.file_count).toBe(4)
})

test('entries with a data descriptor are read', async () => {
  const content = Buffer.from('a'.repeat(500))
  const archive = buildZip([{ ...skill }, { name: 'assets/a.txt', content, flags: 0x08_08 }])
  expect((await scanArchive(storage, archive)).report.compatible).toBe(true)
})

const zeros = Buffer.alloc(3 << 20)
const FATAL_ARCHIVES: readonly (readonly [string, string, readonly ZipEntrySpec[]])[] = [
  ['a path that climbs', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: '../evil.txt', content: 'x' }]],
  ['an absolute path', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: '/etc/evil', content: 'x' }]],
  ['a drive', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: 'C:evil', content: 'x' }]],
  ['a backslash', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: String.raw`a\..\b`, content: 'x' }]],
  ['a server path', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: '//server/share', content: 'x' }]],
  ['a control character', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: 'a\u0000b', content: 'x' }]],
  ['a hidden climb', 'ARCHIVE_PATH_TRAVERSAL', [skill, { name: 'a/../../b', content: 'x' }]],
  ['a symbolic link', 'ARCHIVE_SYMLINK', [skill, { name: 'l', content: '/etc', mode: 0o120777 }]],
  ['a device', 'ARCHIVE_SPECIAL_FILE', [skill, { name: 'd', mode: 0o020666 }]],
  ['a pipe', 'ARCHIVE_SPECIAL_FILE', [skill, { name: 'p', mode: 0o010666 }]],
  ['an encrypted entry', 'ARCHIVE_ENCRYPTED', [skill, { name: 'e', content: 'x', flags: 1 }]],
  ['another compression', 'ARCHIVE_UNSUPPORTED_COMPRESSION', [skill, { name: 'b', method: 12 }]],
  ['two of one name', 'ARCHIVE_DUPLICATE_ENTRY', [skill, { name: 'a' }, { name: 'a' }]],
  ['a file that is a folder too', 'ARCHIVE_DUPLICATE_ENTRY', [skill, { name: 'a' }, { name: 'a/b' }]],
  ['a ratio', 'ARCHIVE_RATIO_SUSPICIOUS', [skill, { name: 'z', content: zeros }]],
  ['no skill', 'SKILL_MD_MISSING', [{ name: 'README.md', content: '# Hello' }]],
  ['only folders', 'ARCHIVE_EMPTY', [{ name: 'a/' }]],
  ['a wrong size', 'ARCHIVE_SIZE_MISMATCH', [skill, { name: 's', content: 'abc', stored: true, size: 9 }]],
  ['two different sizes', 'ARCHIVE_SIZE_MISMATCH', [skill, { name: 's', content: 'abc', localSize: 9 }]],
  ['two different names', 'ARCHIVE_SIZE_MISMATCH', [skill, { name: 'a.md', content: 'abc', localName: 'b.sh' }]],
  [
    'too many bytes in all',
    'ARCHIVE_UNCOMPRESSED_TOO_LARGE',
    [
      skill,
      ...Array.from({ length: 11 }, (_, at) => ({
        name: `assets/${at}`,
        content: 'x',
        stored: false,
        size: 50 << 20,
        compressed: 1 << 20,
      })),
    ],
  ],
  [
    'an entry with a huge declared size',
    'ARCHIVE_ENTRY_TOO_LARGE',
    [skill, { name: 'h', content: 'x', size: 60 << 20 }],
  ],
  ['a damaged entry', 'ARCHIVE_UNREADABLE', [skill, { name: 'c', content: 'a'.repeat(99), crc: 7 }]],
  [
    'invalid compressed data',
    'ARCHIVE_UNREADABLE',
    [skill, { name: 'c', content: 'a'.repeat(99), packed: Buffer.alloc(40, 255) }],
  ],
  [
    'entries that share bytes',
    'ARCHIVE_OVERLAPPING_ENTRIES',
    [skill, { name: 'SKILL.md', content: buildSkillDocument(), at: 0 }],
  ],
]

describe('a fatal finding for', () => {
  test.each(FATAL_ARCHIVES)('%s: %s', async (_description, code, entries) => {
    const outcome = await scanEntries(entries)
    expect([outcome.fatal, listCodes(outcome)]).toEqual([code, expect.arrayContaining([code])])
    expect(outcome.report.compatible).toBe(false)
  })

  test('an entry with more bytes than declared', async () => {
    for (const bytes of [5000, 400_000]) {
      const content = Buffer.alloc(bytes, 'abcdefgh0123456789\n')
      const entry = { name: 'l', packed: deflateRawSync(content), size: bytes - 7 }
      expect((await scanEntries([skill, entry])).fatal).toBe('ARCHIVE_SIZE_MISMATCH')
    }
  })

  test('an entry that unpacks to far more than declared', async () => {
    const packed = deflateRawSync(Buffer.alloc(40 << 20))
    const bomb = { name: 'bomb', packed, size: 900_000, compressed: packed.length }
    expect((await scanEntries([skill, bomb])).fatal).toBe('ARCHIVE_SIZE_MISMATCH')
  })

  test('too many entries, or too many bytes in all', async () => {
    const many = Array.from({ length: 2001 }, (_, at) => ({ name: `f${at}`, content: 'x' }))
    expect((await scanEntries([skill, ...many])).fatal).toBe('ARCHIVE_TOO_MANY_ENTRIES')
    const half = Buffer.alloc(48 << 20, deflateRawSync(Buffer.alloc(9, 'q')))
    const packed = deflateRawSync(half)
    const large = Array.from({ length: 11 }, (_, at) => ({
      name: `g${at}`,
      packed,
      size: half.length,
      compressed: packed.length,
    }))
    expect((await scanEntries([skill, ...large])).fatal).toMatch(/RATIO_SUSPICIOUS|UNCOMPRESSED_TOO_LARGE/)
  })

  test('a file that is not a complete zip', async () => {
    for (const bytes of [
      Buffer.from('PK\u0003\u0004 but no more'),
      Buffer.alloc(100),
      buildZip([skill]).subarray(0, -30),
    ]) {
      expect((await scanArchive(storage, bytes)).fatal).toBe('ARCHIVE_UNREADABLE')
    }
    expect((await scanArchive(storage, buildZip([]))).fatal).toBe('ARCHIVE_EMPTY')
  })
})

/** An archive with one wrong number in its end record or its first directory entry. */
function buildCorruptZip(part: 'end' | 'header', at: number, value: number): Buffer {
  const archive = buildZip([skill, { name: 'a.md', content: 'abc' }])
  const from = part === 'end' ? archive.length - 22 : archive.indexOf('PK\u0001\u0002')
  archive.writeUInt16LE(value, from + at)
  return archive
}

/** An archive with a second directory hidden in an entry, and a zip64 end record that points to it. */
function buildZipWithTwoDirectories(): Buffer {
  const inner = buildZip([{ name: 'other.md', content: 'abc' }])
  const second = Buffer.alloc(56 + 20)
  second.writeUInt32LE(0x06_06_4b_50, 0)
  second.writeUInt32LE(1, 24)
  second.writeUInt32LE(1, 32)
  second.writeUInt32LE(inner.indexOf('PK\u0001\u0002') + 38, 48)
  second.writeUInt32LE(0x07_06_4b_50, 56)
  second.writeUInt32LE(38 + inner.length, 64)
  const outer = buildZip([{ name: 'SKILL.md', content: Buffer.concat([inner, second.subarray(0, 56)]), stored: true }])
  return Buffer.concat([outer.subarray(0, -22), second.subarray(56), outer.subarray(-22)])
}

describe('a fatal finding for a directory with', () => {
  const corrupt: readonly (readonly [string, string, Buffer])[] = [
    ['the number of a disk', 'ARCHIVE_UNREADABLE', buildCorruptZip('end', 4, 1)],
    ['the disk of the directory', 'ARCHIVE_UNREADABLE', buildCorruptZip('end', 6, 1)],
    ['fewer entries on the disk', 'ARCHIVE_UNREADABLE', buildCorruptZip('end', 8, 1)],
    ['a shorter directory', 'ARCHIVE_UNREADABLE', buildCorruptZip('end', 12, 60)],
    ['a directory elsewhere', 'ARCHIVE_UNREADABLE', buildCorruptZip('end', 16, 3)],
    ['an extra field that is longer than it is', 'ARCHIVE_UNREADABLE', buildCorruptZip('header', 30, 9)],
    ['a strong cipher', 'ARCHIVE_ENCRYPTED', buildCorruptZip('header', 8, 0x08_41)],
    ['a cipher for a method', 'ARCHIVE_ENCRYPTED', buildCorruptZip('header', 10, 99)],
    ['an encrypted directory', 'ARCHIVE_ENCRYPTED', buildCorruptZip('header', 8, 0x28_00)],
    ['a second directory', 'ARCHIVE_UNREADABLE', buildZipWithTwoDirectories()],
    ['more entries than may be', 'ARCHIVE_TOO_MANY_ENTRIES', buildCorruptZip('end', 10, 0xff_ff)],
    [
      'another end in the comment',
      'ARCHIVE_UNREADABLE',
      buildZip([skill], { comment: `PK\u0005\u0006${'x'.repeat(30)}` }),
    ],
  ]
  test.each(corrupt)('%s: %s', async (_description, code, archive) => {
    expect((await scanArchive(storage, archive)).fatal).toBe(code)
  })

  test('an offset that needs zip64', async () => {
    const at = buildCorruptZip('header', 42, 0xff_ff)
    at.writeUInt16LE(0xff_ff, at.indexOf('PK\u0001\u0002') + 44)
    expect((await scanArchive(storage, at)).fatal).toBe('ARCHIVE_UNREADABLE')
  })
})

const buildUnicodePathField = (name: string): Buffer => {
  const field = Buffer.concat([Buffer.alloc(9), Buffer.from(name)])
  field.writeUInt16LE(0x70_75, 0)
  field.writeUInt16LE(field.length - 4, 2)
  field.writeUInt8(1, 4)
  return field
}
const HARD_LINK_FIELD = Buffer.from([0x0d, 0, 16, 0, ...Buffer.alloc(12), ...Buffer.from('SKIL')])

test('a different unicode path field is a finding and is not used as the name', async () => {
  const same = await scanEntries([skill, { name: 'assets/a', extra: buildUnicodePathField('assets/a') }])
  expect(listCodes(same)).not.toContain('ARCHIVE_CONFUSABLE_NAME')
  const other = await scanEntries([skill, { name: 'assets/a', extra: buildUnicodePathField('../a') }])
  expect(listCodes(other)).toContain('ARCHIVE_CONFUSABLE_NAME')
  expect(listCodes(other)).not.toContain('ARCHIVE_PATH_TRAVERSAL')
})

test('a hard link is a special file', async () => {
  const outcome = await scanEntries([skill, { name: 'assets/a', extra: HARD_LINK_FIELD }])
  expect(outcome.fatal).toBe('ARCHIVE_SPECIAL_FILE')
})

const TOLERATED_ARCHIVES: readonly (readonly [string, string, readonly ZipEntrySpec[]])[] = [
  ['bytes before the first entry', 'ARCHIVE_HIDDEN_DATA', [{ ...skill, before: Buffer.from('#!/bin/sh\n') }]],
  ['bytes between entries', 'ARCHIVE_HIDDEN_DATA', [skill, { name: 'a.md', before: Buffer.alloc(30, 1) }]],
  ['names that differ in case', 'ARCHIVE_CASE_COLLISION', [skill, { name: 'assets/A' }, { name: 'assets/a' }]],
  ['folders that differ in case', 'ARCHIVE_CASE_COLLISION', [skill, { name: 'assets/x' }, { name: 'Assets/y' }]],
  ['a long path', 'ARCHIVE_PATH_TOO_LONG', [skill, { name: `assets/${'a/'.repeat(130)}b` }]],
  ['a name with a direction override', 'ARCHIVE_CONFUSABLE_NAME', [skill, { name: 'assets/\u202Egnp.exe' }]],
  ['a reserved name', 'ARCHIVE_RESERVED_NAME', [skill, { name: 'assets/CON.txt' }]],
  ['an archive inside', 'ARCHIVE_NESTED_ARCHIVE', [skill, { name: 'assets/more.tar.gz', content: 'x' }]],
  ['setuid bits', 'ARCHIVE_SETUID_BITS', [skill, { name: 'assets/s', mode: 0o104755 }]],
  ['hidden files', 'ARCHIVE_HIDDEN_FILES', [skill, { name: '.git/config', content: 'x' }]],
  ['desktop metadata files', 'ARCHIVE_JUNK_FILES', [skill, { name: '__MACOSX/._SKILL.md', content: 'x' }]],
  ['two skills', 'SKILL_MD_MULTIPLE', [skill, { name: 'other/SKILL.md', content: buildSkillDocument('other') }]],
  [
    'a program',
    'BUNDLE_BINARY_EXECUTABLE',
    [skill, { name: 'assets/x', content: Buffer.from('\u007FELF\u0002\u0001\u0001\u0000') }],
  ],
  ['a package', 'BUNDLE_INSTALLER', [skill, { name: 'assets/x.deb', content: 'x' }]],
]

describe('a finding that does not stop the scan for', () => {
  test.each(TOLERATED_ARCHIVES)('%s: %s', async (_description, code, entries) => {
    const outcome = await scanEntries(entries)
    expect(listCodes(outcome)).toContain(code)
    expect(outcome.fatal).toBeUndefined()
  })

  test('bytes after the end record, but not for a comment', async () => {
    const outcome = await scanEntries([skill], { after: Buffer.from('more') })
    expect(listCodes(outcome)).toContain('ARCHIVE_HIDDEN_DATA')
    const fine = await scanEntries([skill], { comment: 'made by hand' })
    expect(listCodes(fine)).not.toContain('ARCHIVE_HIDDEN_DATA')
  })

  test('a hidden file, whose content is not read', async () => {
    const secret = `AKIA${'Z'.repeat(16)}`
    const outcome = await scanEntries([skill, { name: '.cache/a.txt', content: secret }])
    expect(listCodes(outcome)).toContain('ARCHIVE_HIDDEN_FILES')
    expect(listCodes(outcome)).not.toContain('SECRET_KNOWN_TOKEN')
    expect(outcome.report.bundle_summary?.file_count).toBe(1)
  })
})
