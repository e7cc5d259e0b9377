import { expect, test } from 'vitest'
import { z } from 'zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { compileReply } from '../../src/http/reply-serializer.ts'

const compile = (schema: z.ZodType) => compileReply({ schema, method: 'GET', url: '/test' })
const write = (schema: z.ZodType, data: unknown): unknown => JSON.parse(compile(schema)(data))

const Leaf = z.object({ kind: z.literal('leaf'), size: z.number().int() }).meta({ id: 'TestLeaf' })
interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
const Tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.array(z.lazy(() => Tree)) })

test('fields that the contract does not name are dropped at every depth', () => {
  const Reply = z.object({ id: z.string(), items: z.array(z.object({ name: z.string() })), leaf: Leaf.nullable() })
  const data = {
    id: 'a',
    secret: 1,
    items: [{ name: 'b', secret: 2 }],
    leaf: { kind: 'leaf', size: 3, secret: 4 },
  }
  expect(write(Reply, data)).toEqual({ id: 'a', items: [{ name: 'b' }], leaf: { kind: 'leaf', size: 3 } })
  expect(write(Reply, { ...data, leaf: null })).toEqual({ id: 'a', items: [{ name: 'b' }], leaf: null })
})

test('alternatives are told apart by their constants and fields', () => {
  const Reply = z.object({
    one: z.union([Leaf, z.object({ kind: z.literal('branch'), leaves: z.array(Leaf) })]),
    value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  })
  const leaf = { kind: 'leaf', size: 3 }
  expect(write(Reply, { one: { ...leaf, leaves: [] }, value: null })).toEqual({ one: leaf, value: null })
  const branch = { kind: 'branch', leaves: [leaf] }
  expect(write(Reply, { one: { ...branch, size: 4 }, value: 'x' })).toEqual({ one: branch, value: 'x' })
  expect(write(Reply, { one: leaf, value: false })).toEqual({ one: leaf, value: false })
})

test('listed values and constants of an alternative may be null', () => {
  const Word = z.enum(['up', 'down'])
  const Reply = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), word: Word.nullable(), mark: z.literal('x').nullable() }),
    z.object({ kind: z.literal('b'), word: Word }),
  ])
  for (const word of ['up', null]) {
    for (const mark of ['x', null]) {
      expect(write(Reply, { kind: 'a', word, mark, more: 1 })).toEqual({ kind: 'a', word, mark })
    }
  }
  expect(() => write(Reply, { kind: 'b', word: null })).toThrow(/does not match schema/)
})

test('records, loose objects, unknown values and recursive types keep what they hold', () => {
  const Reply = z.object({
    counts: z.record(z.string(), z.number()),
    loose: z.looseObject({ name: z.string() }),
    anything: z.unknown(),
    tree: Tree,
  })
  const data = {
    counts: { a: 1, b: 2.5 },
    loose: { name: 'n', more: { deep: [1, 'two'] } },
    anything: [{ any: null }],
    tree: { name: 'root', children: [{ name: 'child', children: [] }] },
  }
  expect(write(Reply, data)).toEqual(data)
})

test('a reply without a required field is refused', () => {
  const serialize = compile(z.object({ id: z.string(), note: z.string().optional() }))
  expect(serialize({ id: 'a' })).toBe('{"id":"a"}')
  expect(() => serialize({ note: 'b' })).toThrow(/"id" is required/)
})

test('the replies of all routes can be compiled', () => {
  for (const { reply, media, stream } of allRoutes) {
    if (media !== undefined || stream) continue
    // Compiles and fails for the missing fields, unless none is required.
    try {
      compile(reply)({})
    } catch (error) {
      expect(String(error)).toMatch(/is required|does not match schema|not an array/)
    }
  }
})
