// Tests proxy resolution for an address from the editor's settings and environment variables.
import assert from "node:assert/strict";
import { resolveProxyUrl } from "../../../src/shared/node/proxy.ts";

describe("the proxy of an address", () => {
	const through = (url: string, proxy: string, noProxy: string[] = [], variables: Record<string, string> = {}) =>
		resolveProxyUrl({ proxy, noProxy, variable: (name) => variables[name] }, new URL(url));

	it("is the one of the editor's setting, then that of the variable for its scheme", () => {
		assert.equal(through("https://example.com", "http://set:1", [], { HTTPS_PROXY: "http://variable:2" }), "http://set:1");
		assert.equal(through("https://example.com", "", [], { https_proxy: "http://variable:2" }), "http://variable:2");
		assert.equal(through("http://example.com", "", [], { HTTPS_PROXY: "http://variable:2" }), undefined);
		assert.equal(through("http://example.com", "", [], { ALL_PROXY: "http://all:3" }), "http://all:3");
	});

	it("is none for hosts that are reached without one", () => {
		for (const spared of ["example.com", ".example.com", "*.example.com", "*", "docs.example.com:443", "other.org, example.com"]) {
			assert.equal(through("https://docs.example.com", "http://set:1", [], { NO_PROXY: spared }), undefined, spared);
		}
		for (const other of ["ample.com", "docs.example.com:8443", "com.example", ""]) {
			assert.equal(through("https://docs.example.com", "http://set:1", [other]), "http://set:1", other);
		}
	});

	it("is none where what is set is no http address", () => {
		for (const named of ["socks5://proxy:1", "proxy:8080", "file:///etc", "http://"])
			assert.equal(through("https://example.com", named), undefined);
	});
});
