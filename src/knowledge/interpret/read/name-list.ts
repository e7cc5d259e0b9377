import { formatName, toSingular, toSlug } from './node-text.ts'

/** A name for an input. */
export interface Name {
  readonly name: string
  /** The words of the app that it stands for, if the name does not have all of their letters. */
  readonly caption?: string
}

/** Names for an input, best first, from texts and ids of the app. They may contain data; `InputList` checks that. */
export type Names = readonly Name[]

/** The words of an input in a sentence: its name, or the words of the app in quotes if the name lacks their letters. */
export const formatSubject = ({ name, caption }: Name): string =>
  caption === undefined ? formatName(name) : `“${caption}”`

/** Names from texts. A text that has no Latin spelling becomes the caption of the names after it. */
export function listNames(texts: readonly string[], toName: (text: string) => string): Name[] {
  const lost = texts.find((text) => text !== '' && toName(text) === '' && /\p{L}/u.test(text))
  const names = texts.flatMap((text): Name[] => {
    const name = toName(text)
    const caption = hasOtherLetters(text) ? text : lost
    if (name !== '') return [{ name, ...(caption !== undefined && { caption }) }]
    const known = text === '' ? undefined : findCommonMeaning(text)
    return known === undefined ? [] : [{ name: known, caption: text }]
  })
  return names.filter(({ name }, at) => names.findIndex((one) => one.name === name) === at)
}

const hasOtherLetters = (text: string): boolean => /[^\p{ASCII}]/u.test(text.replaceAll(/[^\p{L}]/gu, ''))

export const toFieldName = (text: string): string => toSlug(text.replace(/ (?:field|input|edit text|switch|box)$/i, ''))

export function toSingularName(text: string): string {
  const parts = toSlug(text).split('_').slice(0, 3)
  return parts.map((part, at) => (at === parts.length - 1 ? toSingular(part) : part)).join('_')
}

/** The English word for a common caption in a script without a Latin spelling. */
function findCommonMeaning(caption: string): string | undefined {
  return MEANINGS.find(([, words]) => words.some((word) => caption.includes(word)))?.[0]
}

const MEANINGS: readonly (readonly [string, readonly string[]])[] = Object.entries({
  email: '邮箱 邮件地址 電子郵件 メールアドレス 이메일 البريد אימייל ईमेल อีเมล',
  phone_number: '电话 手机 電話 전화 휴대폰 هاتف טלפון फ़ोन फोन โทรศัพท์',
  password: '密码 密碼 パスワード 비밀번호 كلمة סיסמה पासवर्ड รหัสผ่าน',
  recipient: '收件人 收款人 宛先 受取人 받는 المستلم נמען प्राप्तकर्ता ผู้รับ',
  address: '地址 住所 주소 عنوان כתובת पता ที่อยู่',
  amount: '金额 金額 금액 مبلغ المبلغ סכום राशि จำนวนเงิน',
  quantity: '数量 數量 個数 수량 كمية الكمية כמות मात्रा จำนวน',
  title: '标题 標題 主题 主題 タイトル 件名 제목 موضوع נושא כותרת शीर्षक หัวข้อ',
  message: '消息 訊息 短信 メッセージ 메시지 رسالة הודעה संदेश ข้อความ',
  note: '备注 備註 笔记 メモ 메모 ملاحظة הערה टिप्पणी หมายเหตุ',
  date: '日期 日付 날짜 تاريخ תאריך दिनांक วันที่',
  time: '时间 時間 시간 وقت זמן समय เวลา',
  city: '城市 都市 도시 مدينة עיר शहर เมือง',
  category: '分类 類別 カテゴリ 카테고리 فئة קטגוריה श्रेणी หมวดหมู่',
  text: '内容 內容 本文 내용 محتوى תוכן सामग्री เนื้อหา',
  name: '姓名 名称 名稱 名前 이름 اسم שם नाम ชื่อ',
}).map(([name, words]) => [name, words.split(' ')])
