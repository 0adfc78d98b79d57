// A certificate that nobody vouches for, made on the spot, so that no key lies in the repository.
import { generateKeyPairSync, sign } from "node:crypto";

export function selfSigned(): { key: string; cert: string } {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
	const algorithm = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
	const name = sequence(tagged(0x31, sequence(objectId(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from("localhost")))));
	const validity = sequence(utcTime("200101000000Z"), utcTime("491231235959Z"));
	const body = sequence(
		tagged(0xa0, tagged(0x02, Buffer.from([2]))),
		tagged(0x02, Buffer.from([1])),
		algorithm,
		name,
		validity,
		name,
		publicKey.export({ type: "spki", format: "der" }),
	);
	const signature = sign("sha256", body, privateKey);
	const cert = sequence(body, algorithm, tagged(0x03, Buffer.from([0]), signature));
	const lines = cert.toString("base64").replace(/.{64}/g, "$&\n");
	return {
		key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
	};
}

function sequence(...parts: Buffer[]): Buffer {
	return tagged(0x30, ...parts);
}

function objectId(...bytes: number[]): Buffer {
	return tagged(0x06, Buffer.from(bytes));
}

function utcTime(time: string): Buffer {
	return tagged(0x17, Buffer.from(time));
}

/** Tag, length and content, as DER has it. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
	const content = Buffer.concat(parts);
	const size = content.length;
	const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
	return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
